import { z } from 'zod'
import { answer, isoTime } from './envelope.ts'

const passphrase = z.string().min(8, 'must have at least 8 characters').max(1024)

export const backupRequest = z.object({
  passphrase: passphrase.describe('Encrypts the file. Without it nobody opens it again, not even you.'),
})

export const restoreHeaders = z.object({
  'X-Passphrase': z.string().describe('The passphrase of the backup, percent-encoded (UTF-8).'),
})

export const restoredAnswer = answer(
  z.object({
    created_at: isoTime.describe('When the backup was made.'),
    kurir_version: z.string(),
    restarts: z.boolean().describe('Kurir begins anew by itself. Otherwise the backup counts from the next start.'),
  }),
)

const count = z.number().int()

/** GET /api/diagnostics: a file for whoever helps. No secret, number, name or text. */
export const diagnostics = z.object({
  made_at: isoTime,
  version: z.string(),
  uptime_seconds: count,
  runtime: z.record(z.string(), z.string().optional()),
  platform: z.string(),
  memory: z.object({ total_bytes: count, used_by_kurir_bytes: count }),
  disk: z.object({ database_bytes: count, free_bytes: count.nullable() }),
  database_versions: z.record(z.string(), count),
  settings: z.record(z.string(), z.unknown()),
  warnings: z.array(z.string()),
  senders: z.array(
    z.object({
      sender_code: z.string(),
      kind: z.string(),
      state: z.string(),
      reason: z.string().nullable(),
      since: isoTime,
      waiting: count,
    }),
  ),
  webhooks: z.array(
    z.object({
      webhook_id: z.string(),
      enabled: z.boolean(),
      disabled_reason: z.string().nullable(),
      last_error: z.string().nullable(),
    }),
  ),
  callbacks: z.array(z.object({ webhook_id: z.string(), state: z.string(), count })),
  log: z.array(z.string()).describe('The last lines, without numbers and keys.'),
})
export type Diagnostics = z.infer<typeof diagnostics>
