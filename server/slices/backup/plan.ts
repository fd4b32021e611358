import { randomUUID } from 'node:crypto'
import { ApiError } from '../../contract/errors.ts'
import { createBackground } from '../../lib/background.ts'
import { DAY, HOUR, isoTime, MINUTE, SECOND } from '../../lib/clock.ts'
import { createDrives } from '../../lib/sleep.ts'
import { isFull } from '../../lib/storage-error.ts'
import { refuseSilent } from '../../words/errors.ts'
import { newSheetKey } from './archive.ts'
import { noteBackup, writeBackup } from './backup.ts'
import {
  type ActivePlan,
  type BackupContext,
  type LastBackup,
  readActivePlan,
  readPlan,
  readState,
  savePlan,
  saveState,
} from './context.ts'
import type { BackupFault, BackupPlanView, EmergencySheet, UpdateBackupPlan } from './contract.ts'
import { type BackupFile, FolderAway, listFolder, removeSuperfluous, takeFolder } from './folder.ts'

const FIRST_AFTER = MINUTE
const LOOK_EVERY = 10 * MINUTE
const EVERY = DAY
/**
 * Wait after a failure. A missing folder is checked at every look instead, because the check is
 * cheap; any other fault may show only after all data has been copied.
 */
const AGAIN_AFTER = HOUR
/** A drive that does not list its folder within this time counts as away. */
const ANSWERS_WITHIN = 5 * SECOND
/** Longer, because a sleeping drive takes some seconds to wake up when it is chosen. */
const TAKEN_WITHIN = 30 * SECOND

export type BackupPlan = ReturnType<typeof createBackupPlan>

/**
 * Makes automatic backups into a folder of the owner's: one a day and one before each update. The
 * state on disk alone decides if one is due.
 */
export function createBackupPlan(context: BackupContext) {
  const { clock, logger } = context
  const background = createBackground({ clock, logger })
  const stopping = new AbortController()
  /** The backup in progress, and the controller that aborts it. */
  let running: { made: Promise<LastBackup>; giveUp: AbortController } | undefined
  let notBefore = Number.NEGATIVE_INFINITY
  let changes: Promise<unknown> = Promise.resolve()
  const ask = createDrives(clock)

  async function look(): Promise<void> {
    if (readActivePlan(context) === undefined || clock.elapsed() < notBefore || !isDue(context)) return
    // run() has already stored and logged the failure.
    await run().catch(() => undefined)
  }

  /**
   * Joins the backup in progress or starts one. @throws ApiError `conflict` if no folder is chosen
   */
  function run(): Promise<LastBackup> {
    const plan = readActivePlan(context)
    if (plan === undefined) return Promise.reject(noFolder())
    if (running !== undefined) return running.made
    const giveUp = new AbortController()
    const signal = AbortSignal.any([stopping.signal, giveUp.signal])
    const made = soonAfter(signal, make(plan, signal)).finally(() => {
      running = undefined
    })
    running = { made, giveUp }
    return made
  }

  /** Settles soon after `signal` aborts, even if the work hangs on a drive that does not answer. */
  function soonAfter<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
    const { promise: tooLate, reject } = Promise.withResolvers<never>()
    let cancel = (): void => {}
    const onAbort = (): void => {
      cancel = clock.after(ANSWERS_WITHIN, () => reject(signal.reason))
    }
    signal.addEventListener('abort', onAbort)
    return Promise.race([work, tooLate]).finally(() => {
      signal.removeEventListener('abort', onAbort)
      cancel()
    })
  }

  async function make(plan: ActivePlan, signal: AbortSignal): Promise<LastBackup> {
    try {
      const last = await writeBackup(context, plan, signal)
      signal.throwIfAborted()
      await saveState(context, { last, failed: null })
      await noteBackup(context)
      // Windows cannot delete a file that another program has open; the next backup tries again.
      await removeSuperfluous(plan.folder, plan.id, last.file).catch((error: unknown) => {
        logger.warn({ err: error }, 'older backups could not be removed')
      })
      logger.info({ file: last.file, bytes: last.bytes }, 'a backup was made')
      return last
    } catch (error) {
      if (signal.aborted) throw error
      const reason = faultOf(error)
      logger.warn({ err: error, reason }, 'the automatic backup failed')
      if (reason !== 'away') notBefore = clock.elapsed() + AGAIN_AFTER
      await saveState(context, { ...readState(context), failed: { at: clock.now(), reason } })
      throw error
    }
  }

  async function view(): Promise<BackupPlanView> {
    const plan = readActivePlan(context)
    const { last, failed } = readState(context)
    const list = ({ folder, id }: ActivePlan) =>
      ask<BackupFile[]>(
        folder,
        ANSWERS_WITHIN,
        () => listFolder(folder, id),
        () => [],
      )
    const files = plan === undefined ? [] : await list(plan)
    const due = isDue(context) ? clock.now() : (last?.at ?? 0) + EVERY
    const again = clock.now() + notBefore - clock.elapsed()
    return {
      folder: plan?.folder ?? null,
      last: last === null ? null : { at: isoTime(last.at), file: last.file, bytes: last.bytes },
      failed: failed === null || plan === undefined ? null : { at: isoTime(failed.at), reason: failed.reason },
      running: running !== undefined,
      next_at: plan === undefined ? null : isoTime(Math.max(due, again)),
      files: files.map(({ name, at, bytes }) => ({ name, at: isoTime(at), bytes })),
    }
  }

  async function change({ folder, new_key }: UpdateBackupPlan): Promise<BackupPlanView> {
    const before = readPlan(context) ?? { id: randomUUID(), key: newSheetKey(), folder: null, chosenAt: 0 }
    const next = { ...before, ...(new_key === true ? { key: newSheetKey() } : {}) }
    if (folder !== undefined && folder !== null)
      await ask(folder, TAKEN_WITHIN, () => takeFolder(folder, next.id, context.home), refuseSilent)
    if (folder !== undefined) Object.assign(next, { folder, chosenAt: clock.now() })
    // A new folder or key has no backup yet. Clear the state first, in case the power fails in
    // between.
    const isOther = next.folder !== before.folder || next.key !== before.key
    if (isOther) await saveState(context, { last: null, failed: null })
    await savePlan(context, next)
    // A backup in progress still uses the old folder or key.
    if (isOther) {
      running?.giveUp.abort(new ApiError('conflict', 'Another folder or key was chosen meanwhile.'))
      await running?.made.catch(() => undefined)
      await saveState(context, { last: null, failed: null })
    }
    notBefore = Number.NEGATIVE_INFINITY
    background.run('the first backup', look)
    return view()
  }

  background.later('the automatic backup', FIRST_AFTER, look)
  background.every('the daily backup', LOOK_EVERY, look)
  const unsubscribe = context.bus.on('update', () => background.run('the backup before an update', look))

  return {
    view,
    /** @throws ApiError, StorageError or the system's error about the folder */
    async run(): Promise<BackupPlanView> {
      try {
        await run()
      } catch (error) {
        throw asAnswer(error, readPlan(context)?.folder ?? '')
      }
      return view()
    },
    /** Changes run one after the other. @throws ApiError `invalid_request` */
    update(wanted: UpdateBackupPlan): Promise<BackupPlanView> {
      const done = changes.then(() => change(wanted))
      changes = done.catch(() => undefined)
      return done
    },
    /** @throws ApiError `conflict` if no folder was ever chosen */
    sheet: async () => emergencySheet(context),
    /** Aborts a backup in progress; its file still has its temporary name. */
    async stop(): Promise<void> {
      unsubscribe()
      const changed = soonAfter(stopping.signal, changes)
      stopping.abort(new Error('Kurir is closing.'))
      await changed.catch(() => undefined)
      await running?.made.catch(() => undefined)
      await background.stop()
    },
  }
}

function isDue(context: BackupContext): boolean {
  const { last } = readState(context)
  const now = context.clock.now()
  const update = context.updateReady()
  // `last.at > now`: a clock that was set back must not postpone the backup.
  return last === null || now - last.at >= EVERY || last.at > now || (update !== null && last.update !== update)
}

function emergencySheet(context: BackupContext): EmergencySheet {
  const plan = readPlan(context)
  if (plan === undefined) throw noFolder()
  const { last } = readState(context)
  const made_at = last === null ? null : isoTime(last.at)
  return { key: plan.key, folder: plan.folder, file: last?.file ?? null, made_at }
}

const noFolder = () => new ApiError('conflict', 'No folder for automatic backups is chosen. Choose one first.')

function faultOf(error: unknown): BackupFault {
  if (error instanceof FolderAway) return 'away'
  const { code } = error as NodeJS.ErrnoException
  if (isFull(error)) return 'full'
  return code === 'EACCES' || code === 'EPERM' || code === 'EROFS' ? 'not_writable' : 'failed'
}

/**
 * Turns the error of a backup that the owner started into an ApiError where a text for it exists.
 */
function asAnswer(error: unknown, folder: string): unknown {
  switch (faultOf(error)) {
    case 'away':
      return new ApiError(
        'conflict',
        `The folder for backups is not there: ${folder}. Plug in its drive, or choose it again.`,
      )
    case 'full':
      return new ApiError('storage_full', `There is no room for the backup. Make room in ${folder}, and on this PC.`)
    case 'not_writable':
      return new ApiError('conflict', `Kurir may not write to ${folder}. Give it the right, or choose another folder.`)
    default:
      return error
  }
}
