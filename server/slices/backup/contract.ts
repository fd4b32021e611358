import { z } from 'zod'
import { answer, isoTime } from '../../contract/fields.ts'

const passphrase = z.string().min(8).max(1024)

export const backupRequest = z.object({
  passphrase: passphrase.describe('Encrypts the file. Without it the file cannot be opened again, not even by you.'),
})

export const restoreHeaders = z.object({
  'X-Passphrase': z.string().describe('The passphrase of the backup, percent-encoded (UTF-8).'),
})

export const restoredAnswer = answer(
  z.object({
    created_at: isoTime.describe('When the backup was made.'),
    kurir_version: z.string(),
    restarts: z.boolean().describe('Kurir restarts by itself. Otherwise the backup counts from the next start.'),
  }),
)

export const BACKUP_FAULTS = ['away', 'full', 'not_writable', 'failed'] as const
export type BackupFault = (typeof BACKUP_FAULTS)[number]

export const updateBackupPlanRequest = z
  .object({
    folder: z
      .string()
      .trim()
      .min(1)
      .max(1024)
      .nullable()
      .describe('Whole path on this PC, of a drive or of the network; null: no automatic backups.'),
    new_key: z.boolean().describe('True makes a new key, for when the old one is in other hands.'),
  })
  .partial()
export type UpdateBackupPlan = z.infer<typeof updateBackupPlanRequest>

export const backupPlanView = z.object({
  folder: z.string().nullable().describe('Null: no automatic backups.'),
  last: z
    .object({ at: isoTime, file: z.string(), bytes: z.number().int() })
    .nullable()
    .describe('The newest one in this folder that was opened after it was written, and is whole.'),
  failed: z
    .object({ at: isoTime, reason: z.enum(BACKUP_FAULTS) })
    .nullable()
    .describe('The newest attempt, if it failed.'),
  running: z.boolean(),
  next_at: isoTime.nullable().describe('When the next one is due.'),
  files: z
    .array(z.object({ name: z.string(), at: isoTime, bytes: z.number().int() }))
    .describe('Backups that are in the folder now, the newest first; empty while the folder is away.'),
})
export type BackupPlanView = z.infer<typeof backupPlanView>
export const backupPlanAnswer = answer(backupPlanView)

export const emergencySheet = z.object({
  key: z.string().describe('The passphrase of every automatic backup.'),
  folder: z.string().nullable(),
  file: z.string().nullable(),
  made_at: isoTime.nullable(),
})
export type EmergencySheet = z.infer<typeof emergencySheet>
export const emergencySheetAnswer = answer(emergencySheet)
