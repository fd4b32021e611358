import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Concern, createConcern } from '../../contract/concerns.ts'
import { ApiError } from '../../contract/errors.ts'
import { restartAnswer } from '../../contract/settings.ts'
import { readWhole, streamBody } from '../../http/body.ts'
import { restartAfterAnswer } from '../../http/response.ts'
import { ANSWERED, defineRoute, ok, type Route } from '../../http/route.ts'
import { DAY, HOUR } from '../../lib/clock.ts'
import { localDay } from '../../lib/local-time.ts'
import type { Store } from '../../store/index.ts'
import { fieldProblem, invalidRequest } from '../../words/errors.ts'
import { createBackup, createRestore, noteBackup, type StageRestore } from './backup.ts'
import { type BackupContext, readActivePlan, readPlan, readState } from './context.ts'
import {
  backupPlanAnswer,
  backupRequest,
  emergencySheetAnswer,
  restoredAnswer,
  restoreHeaders,
  updateBackupPlanRequest,
} from './contract.ts'
import { type BackupPlan, createBackupPlan } from './plan.ts'

/** Backup and restore of the data folder, and a new key for what is sealed in it. */
export function backup(context: BackupContext) {
  const { store, dataKey, refusals, clock } = context
  const plan = refusals === null ? createBackupPlan(context) : undefined
  const stageRestore = refusals === null ? createRestore(context) : refusing(refusals.restore)
  const renewKeys = async () => {
    // A person who has a backup file may also have its key from the emergency sheet.
    if (readPlan(context) !== undefined) await plan?.update({ new_key: true })
    await dataKey.rotate()
  }
  const rotateDataKey = refusals === null ? renewKeys : refusing(refusals.newDataKey)
  const refusePlan = refusing(refusals?.backupPlan ?? '')
  return {
    routes: [
      ...backupRoutes(context, stageRestore, rotateDataKey),
      ...backupPlanRoutes(plan ?? { view: refusePlan, update: refusePlan, run: refusePlan, sheet: refusePlan }),
    ],
    concerns: async () => {
      const facts = refusals === null ? readPlanFacts(context) : undefined
      return facts === undefined ? handmadeConcerns(store, clock.now()) : planConcerns(facts, clock.now())
    },
    stop: async () => plan?.stop(),
  }
}

/** @throws ApiError `conflict` */
const refusing = (why: string) => (): Promise<never> => {
  throw new ApiError('conflict', why)
}

const FILE = 'application/octet-stream'
const owner = { auth: 'owner', tag: 'Settings' } as const

const backupRoutes = (
  context: BackupContext,
  stageRestore: StageRestore,
  rotateDataKey: () => Promise<void>,
): Route[] => [
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/backup',
    summary: 'Create a backup',
    description:
      'Returns one encrypted file with all data. Compare its size with `Content-Length` to notice an incomplete download.',
    body: backupRequest,
    answer: FILE,
    handler: async ({ body, res }) => {
      const backup = await createBackup(context, body.passphrase)
      try {
        res.writeHead(200, {
          'content-type': FILE,
          'content-length': backup.bytes,
          'content-disposition': `attachment; filename="kurir-${localDay(context.clock.now())}.kurirbackup"`,
          'cache-control': 'no-store',
        })
        await pipeline(Readable.from(backup.content), res)
        // The file is complete even if this record fails; the owner is then reminded once too
        // often.
        await noteBackup(context).catch(() => undefined)
      } catch (error) {
        // A client that disconnected can tell from Content-Length that its file is incomplete.
        if (!res.destroyed) throw error
      } finally {
        await backup.close()
      }
      return ANSWERED
    },
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/restore',
    summary: 'Restore a backup',
    description:
      'Replaces all data by the backup in the request body. The whole file is checked first; if it is refused, nothing changes. Senders with waiting messages are paused afterwards.',
    upload: { type: FILE, headers: restoreHeaders },
    answer: restoredAnswer,
    handler: async ({ req, res }) => {
      const about = await readWhole(req, async () => {
        if (req.headers['content-type'] !== FILE) {
          throw new ApiError('unsupported_media_type', `Send the file with the header "Content-Type: ${FILE}".`)
        }
        return stageRestore(streamBody(req), passphraseOf(req))
      })
      const restarts = restartAfterAnswer(res, context.restart)
      const { created_at, kurir_version } = about
      const from = restarts ? 'Kurir restarts with it now.' : 'It counts from the next start of Kurir.'
      return ok(`The backup is whole. ${from}`, { created_at, kurir_version, restarts })
    },
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/data-key/rotate',
    summary: 'Encrypt all stored secrets with a new key',
    description:
      'For use when somebody else may have a backup. Kurir restarts. Automatic backups get a new passphrase as well, so print the emergency sheet again.',
    answer: restartAnswer,
    handler: async ({ res }) => {
      await rotateDataKey()
      const restarts = restartAfterAnswer(res, context.restart)
      const when = restarts ? 'Kurir restarts for it now.' : 'It is done at the next start of Kurir.'
      return ok(`A new key is made. ${when}`, { restarts })
    },
  }),
]

/** Decodes the passphrase, which is percent-encoded because header values are ASCII. */
function passphraseOf(req: IncomingMessage): string {
  const header = req.headers['x-passphrase']
  try {
    if (typeof header === 'string' && header !== '') return decodeURIComponent(header)
  } catch {
    throw invalidRequest([fieldProblem('X-Passphrase', 'not_percent_encoded')])
  }
  throw invalidRequest([fieldProblem('X-Passphrase', 'required')])
}

const backupPlanRoutes = (plan: Omit<BackupPlan, 'stop'>): Route[] => [
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/backup/plan',
    summary: 'Get the settings and state of automatic backups',
    description: 'Shows the folder with its files, the newest backup, when the next one is due, and the last failure.',
    answer: backupPlanAnswer,
    handler: async () => ok('Automatic backups.', await plan.view()),
  }),
  defineRoute({
    ...owner,
    method: 'PATCH',
    path: '/api/backup/plan',
    summary: 'Choose the folder for automatic backups, or switch them off',
    description:
      'A folder that does not exist is created if its parent folder exists. The first backup starts at once; afterwards Kurir makes one each day and one before each update. It keeps the newest backup of each of the last seven days and of each of the last four weeks.',
    body: updateBackupPlanRequest,
    answer: backupPlanAnswer,
    handler: async ({ body }) => ok('Automatic backups are saved.', await plan.update(body)),
  }),
  defineRoute({
    ...owner,
    method: 'POST',
    path: '/api/backup/plan/run',
    summary: 'Make an automatic backup now',
    description: 'Responds after the backup was written, read again and found complete.',
    answer: backupPlanAnswer,
    handler: async () => ok('The backup is made.', await plan.run()),
  }),
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/backup/sheet',
    summary: 'Get the emergency sheet',
    description: 'The folder and the passphrase of the automatic backups, to be kept on paper.',
    answer: emergencySheetAnswer,
    handler: async () => ok('Keep this on paper.', await plan.sheet()),
  }),
]

const IS_OLD_AFTER = 30 * DAY

const LATE_AFTER = 3 * DAY
/** Uptime before a backup counts as late, so that a new start can make the one that is due. */
const LATE_NOT_BEFORE = HOUR

/** No reminder before a number is this old: a new shop has little to lose. */
const NEEDED_AFTER = 7 * DAY

export interface BackupPlanFacts {
  folder: string
  /** Time of the last backup or, if there was none, when the folder was chosen. */
  since: number
  /** Reason why the newest attempt failed; null: it succeeded. */
  failed: string | null
  /** No backup was made for days although Kurir ran. */
  isLate: boolean
}

/** Returns undefined while automatic backups are off. */
function readPlanFacts(context: BackupContext): BackupPlanFacts | undefined {
  const plan = readActivePlan(context)
  if (plan === undefined) return undefined
  const { last, failed } = readState(context)
  const since = last?.at ?? plan.chosenAt
  const isLate = context.clock.now() - since > LATE_AFTER && context.uptime() > LATE_NOT_BEFORE
  return { folder: plan.folder, since, failed: failed?.reason ?? null, isLate }
}

/** Returns the concerns of automatic backups; one fault makes one concern. Pure. */
export function planConcerns({ folder, since, failed, isLate }: BackupPlanFacts, now: number): Concern[] {
  const days = Math.floor((now - since) / DAY)
  const parts = { count: days > 0 ? days : null, detail: folder, page: '/settings#backup' }
  // A drive that is plugged in only now and then raises no alarm until a backup is late.
  if (failed === 'away')
    return [createConcern('backup_folder_away', { ...parts, ...(isLate ? {} : { weight: 'note' }) })]
  if (failed !== null) return [createConcern('backup_failed', { ...parts, detail: failed })]
  return isLate ? [createConcern('backup_late', parts)] : []
}

/** Returns the concerns of backups made by hand, for when automatic backups are off. */
function handmadeConcerns({ senders, meta }: Store, now: number): Concern[] {
  const isNeeded = senders.list().some(({ kind, createdAt }) => kind !== 'sandbox' && now - createdAt > NEEDED_AFTER)
  const at = meta.get('backup_at')
  return isNeeded ? ageConcerns(at === undefined ? null : Number(at), now) : []
}

/** @param at time of the last backup; null: there is none */
export function ageConcerns(at: number | null, now: number): Concern[] {
  const page = '/settings#backup'
  if (at === null) return [createConcern('backup_never', { page })]
  const days = Math.floor((now - at) / DAY)
  return now - at > IS_OLD_AFTER ? [createConcern('backup_old', { since: at, count: days, page })] : []
}
