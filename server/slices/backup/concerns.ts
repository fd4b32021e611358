import type { Concern } from '../../contract/concerns.ts'
import { concern } from '../../health/concerns/concern.ts'
import { DAY, HOUR } from '../../lib/time.ts'
import type { Store } from '../../store/index.ts'
import type { BackupContext } from './context.ts'
import { readActivePlan, readState } from './plan-store.ts'

const IS_OLD_AFTER = 30 * DAY

const LATE_AFTER = 3 * DAY
/** After a start there is time to make the one that is due. */
const LATE_NOT_BEFORE = HOUR

/** A shop that has had a number for less has little to lose. */
const NEEDED_AFTER = 7 * DAY

/** Automatic backups. */
export interface BackupPlanFacts {
  folder: string
  /** Since when there was none: the last one, or when the folder was chosen. */
  since: number
  /** Why the newest attempt failed. */
  failed: string | null
  /** None was made for days, though the program ran. */
  isLate: boolean
}

/** Undefined while no backups are made automatically. */
export function readPlanFacts(context: BackupContext): BackupPlanFacts | undefined {
  const plan = readActivePlan(context)
  if (plan === undefined) return undefined
  const { last, failed } = readState(context)
  const since = last?.at ?? plan.chosenAt
  const isLate = context.clock.now() - since > LATE_AFTER && context.uptime() > LATE_NOT_BEFORE
  return { folder: plan.folder, since, failed: failed?.reason ?? null, isLate }
}

/** Tells of automatic backups: one fault is one concern. Pure. */
export function planConcerns({ folder, since, failed, isLate }: BackupPlanFacts, now: number): Concern[] {
  const days = Math.floor((now - since) / DAY)
  const parts = { count: days > 0 ? days : null, detail: folder, page: '/settings#backup' }
  // A drive that is put in now and then is no alarm until it is missed.
  if (failed === 'away') return [concern('backup_folder_away', { ...parts, ...(isLate ? {} : { weight: 'note' }) })]
  if (failed !== null) return [concern('backup_failed', { ...parts, detail: failed })]
  return isLate ? [concern('backup_late', parts)] : []
}

/** Tells of backups where none is made automatically. */
export function handmadeConcerns({ senders, meta }: Store, now: number): Concern[] {
  const isNeeded = senders.list().some(({ kind, createdAt }) => kind !== 'sandbox' && now - createdAt > NEEDED_AFTER)
  const at = meta.get('backup_at')
  return isNeeded ? ageConcerns(at === undefined ? null : Number(at), now) : []
}

/** @param at when the last backup was made; null: never */
export function ageConcerns(at: number | null, now: number): Concern[] {
  const page = '/settings#backup'
  if (at === null) return [concern('backup_never', { page })]
  const days = Math.floor((now - at) / DAY)
  return now - at > IS_OLD_AFTER ? [concern('backup_old', { since: at, count: days, page })] : []
}
