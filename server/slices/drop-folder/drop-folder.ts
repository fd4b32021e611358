import { type Concern, createConcern } from '../../contract/concerns.ts'
import { ApiError } from '../../contract/errors.ts'
import { ownFieldsOf } from '../../contract/placeholders.ts'
import { createBackground } from '../../lib/background.ts'
import { DAY, HOUR, isoTime, MINUTE, SECOND } from '../../lib/clock.ts'
import { createDrives } from '../../lib/sleep.ts'
import { isFull, StorageError } from '../../lib/storage-error.ts'
import { senderOfTexts } from '../../senders/pick.ts'
import { fieldProblem, invalidRequest, refuseSilent } from '../../words/errors.ts'
import { type DropContext, Held } from './context.ts'
import {
  type DropFolderSettings,
  type DropFolderView,
  type DropProblem,
  type DroppedFile,
  type DropReason,
  dropFolderSettings,
  REFERENCE_WORDS,
  type UpdateDropFolder,
} from './contract.ts'
import { countFailed, FolderAway, type Found, listFiles, openPlaces, type Places, takeFolder } from './folder.ts'
import { isTable } from './name.ts'
import type { DropRow } from './store.ts'
import { createWorker } from './worker.ts'

const LOOK_EVERY = 3 * SECOND
/** A file that has not changed for this time is complete. */
const STILL_FOR = 6 * SECOND
/** Longer for an empty file, because a scanner may create it before it writes. */
const EMPTY_FOR = 10 * MINUTE
/** A drive that gives no answer for this time counts as away. */
const ANSWERS_WITHIN = 5 * MINUTE
/** Longest wait for a silent drive before an exit or a change of folder. */
const ENDS_WITHIN = 5 * SECOND
/** Longer, because a sleeping drive takes some seconds to wake up when it is chosen. */
const TAKEN_WITHIN = 30 * SECOND
const TABLE_RESTS = MINUTE
const KEPT_FOR = 30 * DAY
const SHOWN = 20
const UNFINISHED_AT_ONCE = 500
/** A look ends after this many files that cannot be taken or moved. */
const MOST_STUCK = 3
/** A program that writes a file may lock it for this time without a warning. */
const STUCK_AFTER = 2 * MINUTE

/** Delay until a table that had to wait is read again. Files behind it continue meanwhile. */
interface Rest {
  problem: DropProblem
  until: number
}

export type DropFolder = ReturnType<typeof createDropFolder>

/**
 * Sends each file in the owner's folder to the number in its name. Polls the folder, because
 * network drives do not report changes.
 */
export function createDropFolder(context: DropContext) {
  const { messaging, drops, tables, clock, logger } = context
  const { senders, messages, meta } = messaging.store
  const background = createBackground({ clock, logger })
  const worker = createWorker(context)
  const ask = createDrives(clock)
  /**
   * State by file name. `since`: when `print` last changed. `isStuck`: the file could not be taken
   * or moved.
   */
  const seen = new Map<string, { print: string; since: number; isStuck: boolean; rest: Rest | undefined }>()
  let problem: DropProblem | null = null
  let waiting = 0
  let failed = 0
  let looking: Promise<void> | undefined
  /** Time of the running look's last answer from the drive. */
  let answeredAt = 0
  let isClosing = false
  let changes: Promise<unknown> = Promise.resolve()

  const settings = (): DropFolderSettings => {
    const parsed = dropFolderSettings.safeParse(JSON.parse(meta.get('drop_folder') ?? '{}'))
    return parsed.success ? parsed.data : dropFolderSettings.parse({})
  }

  function standsStill({ name, print, size, isPlain }: Found): boolean {
    const before = seen.get(name)
    const now = clock.elapsed()
    if (before?.print !== print) seen.set(name, { print, since: now, isStuck: false, rest: undefined })
    return before?.print === print && now - before.since >= (isPlain && size === 0 ? EMPTY_FOR : STILL_FOR)
  }

  async function workOn(places: Places, chosen: DropFolderSettings): Promise<DropProblem | null> {
    const unfinished = await drops.list(UNFINISHED_AT_ONCE, 'unfinished')
    const pending = new Set<string>()
    for (const row of unfinished) if (!(await worker.settle(places, row))) pending.add(row.name)
    const { files, nameless } = await listFiles(places, (name) => {
      const its = seen.get(name)
      return its !== undefined && (its.isStuck || its.rest !== undefined)
    })
    const names = new Set(files.map(({ name }) => name))
    for (const name of seen.keys()) if (!names.has(name)) seen.delete(name)
    worker.forgetOthers(names)
    waiting = files.length + nameless
    let stuck = nameless
    let tried = 0
    let held: DropProblem | null = null
    // Files that are stuck come last, so that they block no others.
    const isStuck = ({ name }: Found) => Number(seen.get(name)?.isStuck)
    for (const file of files.filter(standsStill).toSorted((a, b) => isStuck(a) - isStuck(b))) {
      if (isClosing || settings().folder !== chosen.folder || !settings().on) return null
      answeredAt = clock.elapsed()
      const its = seen.get(file.name)
      if (its?.rest !== undefined && clock.elapsed() < its.rest.until) {
        held = its.rest.problem
        continue
      }
      try {
        if (await worker.work(places, file, chosen, pending.has(file.name))) waiting -= 1
      } catch (error) {
        if (error instanceof Held) {
          if (!isTable(file.name) || its === undefined) return error.problem
          its.rest = { problem: error.problem, until: clock.elapsed() + TABLE_RESTS }
          held = error.problem
          continue
        }
        if (error instanceof StorageError) throw error
        // The error's message would contain the file name, and with it a customer's number.
        logger.warn({ code: codeOf(error) }, 'a file of the drop folder could not be taken yet')
        if (its !== undefined) its.isStuck = true
        if (clock.elapsed() - (its?.since ?? 0) > STUCK_AFTER) stuck += 1
        tried += 1
        if (tried === MOST_STUCK) break
      }
    }
    await worker.followFailures(places)
    failed = (await countFailed(places)) + (await worker.countPartly(places))
    return stuck > 0 ? 'stuck' : held
  }

  async function look(): Promise<void> {
    const chosen = settings()
    if (!chosen.on || chosen.folder === null) return
    answeredAt = clock.elapsed()
    const tell = (found: DropProblem | null) => {
      if (settings().folder === chosen.folder) problem = found
    }
    try {
      const places = await openPlaces(chosen.folder)
      try {
        tell(await workOn(places, chosen))
      } finally {
        await places.close()
      }
    } catch (error) {
      tell(problemOf(error))
      logger.debug({ code: codeOf(error) }, 'the drop folder could not be looked at')
    }
  }

  /** Starts a look unless one is running, so a slow drive never gets two at a time. */
  function lookAgain(): void {
    if (isClosing || looking !== undefined || !settings().on) return
    const own = look().finally(() => {
      if (looking !== own) return
      looking = undefined
      if (settings().on) background.later('look', LOOK_EVERY, async () => lookAgain())
    })
    looking = own
  }

  /** Resolves when the running look has ended, or after ENDS_WITHIN. */
  async function lookEnds(): Promise<void> {
    let cancel = (): void => {}
    const tooLong = new Promise<void>((resolve) => {
      cancel = clock.after(ENDS_WITHIN, resolve)
    })
    await Promise.race([looking, tooLong])
    cancel()
  }

  function problemNow(): DropProblem | null {
    if (!settings().on) return null
    return looking !== undefined && clock.elapsed() - answeredAt > ANSWERS_WITHIN ? 'away' : problem
  }

  async function shown(row: DropRow): Promise<DroppedFile> {
    const { id, at, name, status, reason, phone, reference, rows } = row
    const message = status === 'refused' ? undefined : await messages.find({ id })
    return {
      ...{ id, name, phone, at: isoTime(at) },
      status: status === 'refused' ? 'refused' : (message?.status ?? 'taken'),
      reason: reason as DropReason | null,
      message_id: message?.id ?? null,
      table_id: rows === null ? null : ((await tables.find(id))?.id ?? null),
      reference_id: reference,
    }
  }

  async function view(): Promise<DropFolderView> {
    const files = await Promise.all((await drops.list(SHOWN)).map(shown))
    return { ...settings(), problem: problemNow(), waiting, failed, files }
  }

  async function save(change: UpdateDropFolder): Promise<void> {
    const before = settings()
    const given = Object.entries(change).filter(([, value]) => value !== undefined)
    const next = dropFolderSettings.parse({ ...before, ...Object.fromEntries(given) })
    if (next.on && (next.folder === null || next.sender_code === null))
      throw new ApiError('conflict', 'Choose a folder and a sender before the drop folder is switched on.')
    if (next.sender_code !== null && next.sender_code !== before.sender_code)
      senderOfTexts(senders, next.sender_code, 'sender_code')
    const unknown = ownFieldsOf(next.text).filter((word) => !REFERENCE_WORDS.some((known) => known === word))
    if (unknown.length > 0)
      throw invalidRequest([
        fieldProblem('text', 'unknown_words', { names: unknown.map((word) => `{${word}}`).join(', ') }),
      ])
    // Take the folder again even if it is the same one: its drive may have been away.
    if (next.folder !== null && (change.folder !== undefined || (next.on && !before.on)))
      await ask(next.folder, TAKEN_WITHIN, () => takeFolder(next.folder ?? '', context.home), refuseSilent)
    await meta.save('drop_folder', JSON.stringify(next))
    if (next.folder !== before.folder) {
      await lookEnds()
      looking = undefined
      seen.clear()
      waiting = 0
      failed = 0
    }
    problem = null
    for (const its of seen.values()) its.rest = undefined
    lookAgain()
  }

  async function expire(): Promise<void> {
    const days = context.settings().retention_days
    await drops.expire(clock.now() - Math.min(KEPT_FOR, days === null ? KEPT_FOR : days * DAY))
  }

  lookAgain()
  background.later('expire at first', MINUTE, expire)
  background.every('expire', HOUR, expire)

  return {
    view,
    /** Changes run one after the other. @throws ApiError `conflict`, `invalid_request` */
    update(change: UpdateDropFolder): Promise<DropFolderView> {
      const done = changes.then(() => save(change)).then(view)
      changes = done.catch(() => undefined)
      return done
    },
    facts(): DropFolderFacts | null {
      const { on, folder } = settings()
      if (!on || folder === null) return null
      return { folder, problem: problemNow(), waiting, failed }
    },
    async close(): Promise<void> {
      isClosing = true
      await background.stop()
      await lookEnds()
    },
  }
}

const codeOf = (error: unknown): string =>
  String((error as { code?: unknown } | null)?.code ?? (error as Error | null)?.name ?? 'unknown')

function problemOf(error: unknown): DropProblem | null {
  // A StorageError means that the database fails, which has a concern of its own.
  if (error instanceof StorageError) return null
  const code = codeOf(error)
  if (['EACCES', 'EPERM', 'EROFS', 'ELOOP', 'EEXIST'].includes(code)) return 'not_writable'
  if (isFull(error)) return 'full'
  return error instanceof FolderAway || /^E[A-Z]+$/.test(code) ? 'away' : 'stuck'
}

interface DropFolderFacts {
  folder: string
  problem: 'away' | 'not_writable' | 'no_sender' | 'limit' | 'full' | 'tables_full' | 'stuck' | null
  waiting: number
  /** Refused files that still lie beside their explanation. */
  failed: number
}

/** Pure. */
export function dropFolderConcerns({ folder, problem, waiting, failed }: DropFolderFacts): Concern[] {
  const page = '/settings#folder'
  const found = failed === 0 ? [] : [createConcern('drop_files_failed', { count: failed, page })]
  if (problem === null) return found
  if (problem === 'away') return [createConcern('drop_folder_away', { detail: folder, page }), ...found]
  if (problem === 'limit') return [createConcern('drop_limit', { count: waiting, page }), ...found]
  return [
    createConcern('drop_folder_stopped', { count: waiting > 0 ? waiting : null, detail: problem, page }),
    ...found,
  ]
}
