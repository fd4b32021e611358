import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { ApiError } from '../../contract/errors.ts'
import { createBackground } from '../../lib/background.ts'
import { isoTime } from '../../lib/clock.ts'
import { StorageError } from '../../lib/storage-error.ts'
import { DAY, HOUR, MINUTE } from '../../lib/time.ts'
import { temporaryFolder } from '../../settings/data-folder.ts'
import { checkCopies, PLACES } from '../../store/index.ts'
import { unpackArchive } from './archive.ts'
import type { CreateBackup } from './backup.ts'
import type { BackupPlanFacts } from './concerns.ts'
import type { BackupContext } from './context.ts'
import {
  BACKUP_FAULTS,
  type BackupFault,
  type BackupPlanView,
  type EmergencySheet,
  type UpdateBackupPlan,
} from './contract.ts'
import {
  FolderAway,
  listFolder,
  nameOf,
  openFolder,
  partOf,
  removeSuperfluous,
  syncWhereItCan,
  takeFolder,
} from './folder.ts'
import { unseal } from './sealed-stream.ts'
import { newSheetKey } from './sheet-key.ts'

const FIRST_AFTER = MINUTE
const LOOK_EVERY = 10 * MINUTE
const EVERY = DAY
/** A folder that is away costs nothing to look for; everything else copies the data first. */
const AGAIN_AFTER = HOUR
const LATE_AFTER = 3 * DAY
/** After a start there is time to make the one that is due. */
const LATE_NOT_BEFORE = HOUR

/** Stored sealed. */
const planSchema = z.object({
  /** Whose backups a folder holds. */
  id: z.string(),
  /** The passphrase of all of them. */
  key: z.string(),
  folder: z.string().nullable(),
  chosenAt: z.number(),
})
type Plan = z.infer<typeof planSchema>

const stateSchema = z.object({
  last: z
    .object({
      at: z.number(),
      file: z.string(),
      bytes: z.number(),
      /** The update before which it was made. */
      update: z.string().nullable(),
    })
    .nullable(),
  failed: z.object({ at: z.number(), reason: z.enum(BACKUP_FAULTS) }).nullable(),
})
type State = z.infer<typeof stateSchema>
type Last = NonNullable<State['last']>

/**
 * Backups that are made by themselves: one a day and one before each update, into a folder of the
 * owner's. Which one is due follows from what is kept on disk.
 * @param noteBackup a whole backup was taken
 */
export function createBackupPlan(context: BackupContext, createBackup: CreateBackup, noteBackup: () => Promise<void>) {
  const { home, clock, logger } = context
  const { meta } = context.store
  const { vault } = context.dataKey
  const background = createBackground({ clock, logger })
  const stopping = new AbortController()
  /** The backup under way, and what gives it up. */
  let running: { made: Promise<Last>; giveUp: AbortController } | undefined
  let notBefore = Number.NEGATIVE_INFINITY
  let changes: Promise<unknown> = Promise.resolve()

  function plan(): Plan | undefined {
    const sealed = meta.get('backup_plan')
    if (sealed === undefined) return undefined
    return planSchema.parse(JSON.parse(vault.open(Buffer.from(sealed, 'base64'), PLACES.backupPlan).toString()))
  }

  function state(): State {
    const read = stateSchema.safeParse(JSON.parse(meta.get('backup_state') ?? 'null'))
    return read.success ? read.data : { last: null, failed: null }
  }
  const save = (next: State) => meta.save('backup_state', JSON.stringify(next))

  function isDue({ last }: State): boolean {
    const now = clock.now()
    const update = context.updateReady()
    // A clock that was set back must not put it off.
    return last === null || now - last.at >= EVERY || last.at > now || (update !== null && last.update !== update)
  }

  /** Opens a backup as a restore does, and checks its databases. @throws if it would not restore */
  async function verify(file: string, key: string, signal: AbortSignal): Promise<void> {
    const folder = await mkdtemp(join(temporaryFolder(home), 'check-'))
    try {
      await unpackArchive(unseal(createReadStream(file), key), folder, 'databases')
      await checkCopies(folder, signal)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  /** Writes under a temporary name; only what can be opened gets its own. */
  async function write({ folder, id, key }: Plan & { folder: string }, signal: AbortSignal): Promise<Last> {
    await openFolder(folder, id)
    const at = clock.now()
    const update = context.updateReady()
    const name = nameOf(at)
    const part = join(folder, partOf(name))
    try {
      const backup = await createBackup(key)
      try {
        const file = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true })
        await pipeline(Readable.from(backup.content), file, { signal })
      } finally {
        await backup.close()
      }
      await verify(part, key, signal)
      const { size } = await stat(part)
      signal.throwIfAborted()
      await rename(part, join(folder, name))
      await syncWhereItCan(folder)
      return { at, file: name, bytes: size, update }
    } catch (error) {
      await rm(part, { force: true }).catch(() => undefined)
      throw error
    }
  }

  async function make(of: Plan & { folder: string }, signal: AbortSignal): Promise<Last> {
    try {
      const last = await write(of, signal)
      await save({ last, failed: null })
      await noteBackup()
      // Windows removes no file that another program has open: the next backup tries again.
      await removeSuperfluous(of.folder, of.id, last.file).catch((error: unknown) => {
        logger.warn({ err: error }, 'older backups could not be removed')
      })
      logger.info({ file: last.file, bytes: last.bytes }, 'a backup was made')
      return last
    } catch (error) {
      if (signal.aborted) throw error
      const reason = faultOf(error)
      logger.warn({ err: error, reason }, 'the automatic backup failed')
      if (reason !== 'away') notBefore = clock.elapsed() + AGAIN_AFTER
      await save({ ...state(), failed: { at: clock.now(), reason } })
      throw error
    }
  }

  /** The one that is under way, or a new one. @throws ApiError `conflict`: no folder is chosen */
  function run(): Promise<Last> {
    const chosen = plan()
    if (chosen === undefined || chosen.folder === null) return Promise.reject(noFolder())
    if (running !== undefined) return running.made
    const giveUp = new AbortController()
    const signal = AbortSignal.any([stopping.signal, giveUp.signal])
    const made = make({ ...chosen, folder: chosen.folder }, signal).finally(() => {
      running = undefined
    })
    running = { made, giveUp }
    return made
  }

  async function look(): Promise<void> {
    const folder = plan()?.folder ?? null
    if (folder === null || clock.elapsed() < notBefore || !isDue(state())) return
    // It is written down and logged where it fails.
    await run().catch(() => undefined)
  }

  async function view(): Promise<BackupPlanView> {
    const chosen = plan()
    const { last, failed } = state()
    const folder = chosen?.folder ?? null
    const files = chosen === undefined || folder === null ? [] : await listFolder(folder, chosen.id)
    const due = last === null ? clock.now() : last.at + EVERY
    const again = clock.now() + notBefore - clock.elapsed()
    return {
      folder,
      last: last === null ? null : { at: isoTime(last.at), file: last.file, bytes: last.bytes },
      failed: failed === null || folder === null ? null : { at: isoTime(failed.at), reason: failed.reason },
      running: running !== undefined,
      next_at: folder === null ? null : isoTime(Math.max(due, again)),
      files: files.map(({ name, at, bytes }) => ({ name, at: isoTime(at), bytes })),
    }
  }

  async function change({ folder, new_key }: UpdateBackupPlan): Promise<BackupPlanView> {
    const before = plan() ?? { id: randomUUID(), key: newSheetKey(), folder: null, chosenAt: 0 }
    const next = { ...before, ...(new_key === true ? { key: newSheetKey() } : {}) }
    if (folder !== undefined && folder !== null) await takeFolder(folder, next.id, home)
    if (folder !== undefined) Object.assign(next, { folder, chosenAt: clock.now() })
    const sealed = vault.seal(JSON.stringify(next), PLACES.backupPlan).toString('base64')
    await meta.save('backup_plan', sealed)
    // Another folder or key has no backup yet, and the one under way is none of its own.
    if (next.folder !== before.folder || next.key !== before.key) {
      running?.giveUp.abort(new ApiError('conflict', 'Another folder or key was chosen meanwhile.'))
      await running?.made.catch(() => undefined)
      await save({ last: null, failed: null })
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
    /** @throws ApiError, StorageError or what the system says of the folder */
    async run(): Promise<BackupPlanView> {
      try {
        await run()
      } catch (error) {
        throw asAnswer(error, plan()?.folder ?? '')
      }
      return view()
    },
    /** One after the other. @throws ApiError `invalid_request` */
    update(wanted: UpdateBackupPlan): Promise<BackupPlanView> {
      const done = changes.then(() => change(wanted))
      changes = done.catch(() => undefined)
      return done
    },
    /** @throws ApiError `conflict`: no folder is chosen */
    async sheet(): Promise<EmergencySheet> {
      const chosen = plan()
      if (chosen === undefined) throw noFolder()
      const { last } = state()
      return {
        key: chosen.key,
        folder: chosen.folder,
        file: last?.file ?? null,
        made_at: last === null ? null : isoTime(last.at),
      }
    },
    /** Facts that a concern is found from; undefined while there is no folder. */
    facts(): BackupPlanFacts | undefined {
      const chosen = plan()
      if (chosen === undefined || chosen.folder === null) return undefined
      const { last, failed } = state()
      const since = last?.at ?? chosen.chosenAt
      const isLate = clock.now() - since > LATE_AFTER && context.uptime() > LATE_NOT_BEFORE
      return { folder: chosen.folder, since, failed: failed?.reason ?? null, isLate }
    },
    /** Gives up one that is under way: its file has no name yet. */
    async stop(): Promise<void> {
      unsubscribe()
      stopping.abort(new Error('Kurir is closing.'))
      await changes
      await running?.made.catch(() => undefined)
      await background.stop()
    },
  }
}

const noFolder = () => new ApiError('conflict', 'No folder for automatic backups is chosen. Choose one first.')

function faultOf(error: unknown): BackupFault {
  if (error instanceof FolderAway) return 'away'
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT' || (error instanceof StorageError && error.problem === 'full'))
    return 'full'
  return code === 'EACCES' || code === 'EPERM' || code === 'EROFS' ? 'not_writable' : 'failed'
}

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
