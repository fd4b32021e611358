import { z } from 'zod'
import type { Bus } from '../../lib/bus.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { DataKey } from '../../lib/vault.ts'
import { PLACES, type Store } from '../../store/index.ts'
import { BACKUP_FAULTS } from './contract.ts'

export interface BackupContext {
  home: string
  store: Store
  dataKey: DataKey
  /** Reasons why actions other than making a backup are refused. Null: every action is allowed. */
  refusals: { backupPlan: string; restore: string; newDataKey: string } | null
  restart: (() => void) | undefined
  version: string
  updateReady: () => string | null
  uptime: () => number
  bus: Bus
  clock: Clock
  logger: Logger
}

/** Stored encrypted (sealed) in the database. */
const planSchema = z.object({
  /** Identity of this Kurir; the mark in the backup folder holds its hash. */
  id: z.string(),
  /** Passphrase of all automatic backups. */
  key: z.string(),
  folder: z.string().nullable(),
  chosenAt: z.number(),
})
type Plan = z.infer<typeof planSchema>
/** A plan with a folder, so automatic backups are on. */
export type ActivePlan = Plan & { folder: string }

const stateSchema = z.object({
  last: z
    .object({
      at: z.number(),
      file: z.string(),
      bytes: z.number(),
      /** Version of the pending update that the backup preceded. */
      update: z.string().nullable(),
    })
    .nullable(),
  failed: z.object({ at: z.number(), reason: z.enum(BACKUP_FAULTS) }).nullable(),
})
type State = z.infer<typeof stateSchema>
export type LastBackup = NonNullable<State['last']>

/** Returns undefined if no folder was ever chosen. */
export function readPlan({ store, dataKey }: BackupContext): Plan | undefined {
  const sealed = store.meta.get('backup_plan')
  if (sealed === undefined) return undefined
  const opened = dataKey.vault.open(Buffer.from(sealed, 'base64'), PLACES.backupPlan)
  return planSchema.parse(JSON.parse(opened.toString()))
}

/** Returns undefined if automatic backups are off. */
export function readActivePlan(context: BackupContext): ActivePlan | undefined {
  const plan = readPlan(context)
  return plan === undefined || plan.folder === null ? undefined : { ...plan, folder: plan.folder }
}

export function savePlan({ store, dataKey }: BackupContext, plan: Plan): Promise<void> {
  const sealed = dataKey.vault.seal(JSON.stringify(plan), PLACES.backupPlan)
  return store.meta.save('backup_plan', sealed.toString('base64'))
}

export function readState({ store }: BackupContext): State {
  const read = stateSchema.safeParse(JSON.parse(store.meta.get('backup_state') ?? 'null'))
  return read.success ? read.data : { last: null, failed: null }
}

export const saveState = ({ store }: BackupContext, state: State): Promise<void> =>
  store.meta.save('backup_state', JSON.stringify(state))
