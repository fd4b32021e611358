import { z } from 'zod'
import { answer, isoTime } from '../../contract/fields.ts'

const passphrase = z.string().min(8).max(1024)

export const backupRequest = z.object({
  passphrase: passphrase.describe(
    'Passphrase that encrypts the backup. Without it nobody can open the backup, not even you.',
  ),
})

export const restoreHeaders = z.object({
  'X-Passphrase': z.string().describe('Passphrase of the backup, percent-encoded as UTF-8.'),
})

export const restoredAnswer = answer(
  z.object({
    created_at: isoTime.describe('Time when the backup was made.'),
    kurir_version: z.string(),
    restarts: z
      .boolean()
      .describe(
        'True: Kurir restarts by itself with the backup. False: the backup takes effect when somebody starts Kurir again.',
      ),
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
      .describe(
        'Absolute path of the folder for automatic backups, on a drive of this PC or on the network. Null: no automatic backups.',
      ),
    new_key: z
      .boolean()
      .describe('True: creates a new passphrase for automatic backups, for use when others may know the old one.'),
  })
  .partial()
export type UpdateBackupPlan = z.infer<typeof updateBackupPlanRequest>

export const backupPlanView = z.object({
  folder: z.string().nullable().describe('Folder for automatic backups. Null: no automatic backups.'),
  last: z
    .object({ at: isoTime, file: z.string(), bytes: z.number().int() })
    .nullable()
    .describe('Newest backup in this folder that was read again after it was written and is complete. Null: none.'),
  failed: z
    .object({ at: isoTime, reason: z.enum(BACKUP_FAULTS) })
    .nullable()
    .describe('Newest attempt, if it failed. Null: it did not fail.'),
  running: z.boolean(),
  next_at: isoTime.nullable().describe('Time when the next automatic backup is due. Null: no automatic backups.'),
  files: z
    .array(z.object({ name: z.string(), at: isoTime, bytes: z.number().int() }))
    .describe('Backups that are in the folder now, newest first. Empty if the folder is not available.'),
})
export type BackupPlanView = z.infer<typeof backupPlanView>
export const backupPlanAnswer = answer(backupPlanView)

export const emergencySheet = z.object({
  key: z.string().describe('Passphrase of all automatic backups.'),
  folder: z.string().nullable(),
  file: z.string().nullable(),
  made_at: isoTime.nullable(),
})
export type EmergencySheet = z.infer<typeof emergencySheet>
export const emergencySheetAnswer = answer(emergencySheet)
