import { z } from 'zod'
import { answer, isoTime } from '../contract/envelope.ts'

const passphrase = z.string().min(8).max(1024)

export const backupRequest = z.object({
  passphrase: passphrase.describe('Encrypts the file. Without it the file cannot be opened again, not even by you.'),
})

export const restoreHeaders = z.object({
  'X-Passphrase': z.string().describe('The passphrase of the backup, percent-encoded (UTF-8).'),
})

export const rotatedAnswer = answer(
  z.object({ restarts: z.boolean().describe('Kurir restarts by itself. Otherwise it is done at the next start.') }),
)

export const restoredAnswer = answer(
  z.object({
    created_at: isoTime.describe('When the backup was made.'),
    kurir_version: z.string(),
    restarts: z.boolean().describe('Kurir restarts by itself. Otherwise the backup counts from the next start.'),
  }),
)
