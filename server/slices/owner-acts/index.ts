import { open, readFile, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { z } from 'zod'
import { ApiError } from '../../contract/errors.ts'
import type { Language } from '../../contract/settings.ts'
import { ownerWay } from '../../http/auth.ts'
import type { Caller } from '../../http/keys.ts'
import type { RawCall } from '../../http/read-call.ts'
import { beginCsv, writePages } from '../../http/response.ts'
import { ANSWERED, defineRoute, list, Reply, type Route } from '../../http/route.ts'
import { type Clock, DAY, isoTime } from '../../lib/clock.ts'
import { escaped } from '../../lib/csv.ts'
import type { Logger } from '../../lib/logger.ts'
import { renameFile, syncFolder } from '../../lib/sync-folder.ts'
import { BOM, separatorIn, spreadsheetTimes } from '../../messages/csv.ts'
import { WORDS } from '../../words/index.ts'
import type { Words } from '../../words/say.ts'
import { type OwnerAct, ownerActsAnswer, ownerActsExportQuery, ownerActsQuery } from './contract.ts'
import { actOf, detailsOf, detailText, type ThingContext, thingOf, wordsOf } from './named.ts'
import { createOwnerActStore, type NewOwnerAct, type OwnerActor, type OwnerActRow, type OwnerDeed } from './store.ts'

const KEPT_FOR = 365 * DAY
/** Limits the rows, because a program with the owner's token may change things without end. */
const MOST = 20_000
const PAGE = 500
const RESTORE = 'POST /api/restore'

export type OwnerActs = ReturnType<typeof createOwnerActs>

const carriedAct: z.ZodType<NewOwnerAct> = z.object({
  id: z.string(),
  at: z.number(),
  actedBy: z.enum(['window', 'command_line', 'token', 'tray']),
  browser: z.string().nullable(),
  address: z.string().nullable(),
  act: z.string(),
  thing: z.string().nullable(),
  details: z.array(z.string()),
  done: z.boolean(),
})

/**
 * Records what owners do. An act is stored before it begins and marked as done afterwards, so an
 * act that was interrupted stays in the list.
 */
export function createOwnerActs(
  { store, named }: ThingContext,
  home: string,
  newId: () => string,
  clock: Clock,
  logger: Logger,
) {
  const { ownerSessions, statements } = store
  const ownerActs = createOwnerActStore(statements)
  const kept = () => ({ since: clock.now() - KEPT_FOR, most: MOST })
  /**
   * File that carries the acts over a restore, because the restored database lacks those since its
   * backup.
   */
  const carried = join(home, 'owner-acts.jsonl')
  let isStaged = false
  let carrying = Promise.resolve()
  const ready = takeOver().catch((err: unknown) => logger.warn({ err }, 'what owners did before could not be read'))

  async function takeOver(): Promise<void> {
    const lines = await readFile(carried, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return ''
      throw error
    })
    if (lines === '') return
    const acts = lines.split('\n').flatMap((line) => (line === '' ? [] : [carriedAct.parse(JSON.parse(line))]))
    for (let at = 0; at < acts.length; at += PAGE) await ownerActs.add(acts.slice(at, at + PAGE), kept())
    await rm(carried, { force: true })
  }

  /** Writes all acts to the file, from which the start with the restored database reads them. */
  function carry(): Promise<void> {
    const done = carrying.then(writeCarried)
    carrying = done.catch(() => undefined)
    return done
  }

  async function writeCarried(): Promise<void> {
    const lines: string[] = []
    for (let before: number | undefined, more = true; more; ) {
      const rows = await ownerActs.list({ since: kept().since, before, limit: PAGE })
      for (const { seq, ...act } of rows) lines.push(`${JSON.stringify(act)}\n`)
      before = rows.at(-1)?.seq
      more = rows.length === PAGE
    }
    const file = await open(`${carried}.new`, 'w', 0o600)
    try {
      await file.writeFile(lines.toReversed().join(''))
      await file.sync()
    } finally {
      await file.close()
    }
    await renameFile(`${carried}.new`, carried)
    await syncFolder(home)
  }

  async function attempt(what: () => Promise<void>, act: NewOwnerAct): Promise<boolean> {
    try {
      await what()
      return true
    } catch (err) {
      logger.warn({ err, act: act.act, thing: act.thing, by: act.actedBy }, 'what an owner did could not be noted')
      return false
    }
  }

  async function begin(act: NewOwnerAct): Promise<boolean> {
    await ready
    return attempt(async () => {
      await ownerActs.add([act], kept())
      if (isStaged || act.act === RESTORE) await carry()
    }, act)
  }

  async function end(act: NewOwnerAct, isBegun: boolean): Promise<void> {
    isStaged ||= act.act === RESTORE
    await attempt(async () => {
      await (isBegun ? ownerActs.end(act.id, true) : ownerActs.add([{ ...act, done: true }], kept()))
      if (isStaged) await carry()
    }, act)
  }

  /** Removes the record of an act that was refused. */
  async function withdraw(act: NewOwnerAct): Promise<void> {
    await attempt(async () => {
      await ownerActs.end(act.id, false)
      if (isStaged) await carry()
      else if (act.act === RESTORE) await rm(carried, { force: true })
    }, act)
  }

  /**
   * Runs and records an act. A failed record is logged and does not stop the act.
   * @throws whatever `work` throws
   */
  async function run<T>(about: OwnerDeed, work: () => T | Promise<T>): Promise<T> {
    const act: NewOwnerAct = { ...about, id: newId(), at: clock.now(), done: false }
    const isBegun = await begin(act)
    let result: T
    try {
      result = await work()
    } catch (error) {
      // After any other error the act may have been done in part, so its record stays.
      if (error instanceof ApiError) await withdraw(act)
      throw error
    }
    if (result instanceof Reply && result.status >= 400) await withdraw(act)
    else await end(act, isBegun)
    return result
  }

  function whoCalls(session: string | null, req: IncomingMessage): OwnerActor {
    const way = ownerWay(session, req)
    if (way.by !== 'window') return { actedBy: way.by, browser: null, address: null }
    const { browser = null, address = null } = ownerSessions.list().find(({ id }) => id === way.session) ?? {}
    return { actedBy: 'window', browser, address }
  }

  return {
    /** Wraps a route so that the owner's changes through it are recorded. */
    around(route: Route): Route {
      const act = actOf(route)
      if (act === undefined) return route
      return {
        ...route,
        async handler(call: never) {
          const { caller, req, ...asked }: RawCall & { caller: Caller; req: IncomingMessage } = call
          if (caller.kind !== 'owner') return route.handler(call)
          const about = {
            ...whoCalls(caller.session, req),
            act,
            thing: await thingOf(route.path, asked, { store, named }).catch(() => null),
            details: detailsOf(route.method, asked.body),
          }
          return run(about, () => route.handler(call))
        },
      }
    },
    ofTray: (act: 'tray pause' | 'tray resume', work: () => Promise<void>): Promise<void> =>
      run({ actedBy: 'tray', browser: null, address: null, act, thing: null, details: [] }, work),
    /** Newest first; only acts with a `seq` below `before`. */
    async list(before: number | undefined, limit: number): Promise<OwnerActRow[]> {
      await ready
      return ownerActs.list({ since: kept().since, before, limit })
    },
    /**
     * Looks up the message of an act on every read, because the list itself stores no phone number.
     */
    async messageOf({ act, thing }: OwnerActRow): Promise<OwnerAct['message']> {
      const id = act.includes('/messages/{id}') ? thing?.split(' · ')[0] : undefined
      const message = id === undefined ? undefined : await store.messages.find({ id })
      return message === undefined
        ? null
        : { id: message.id, recipient: message.recipient, reference_id: message.referenceId }
    },
  }
}

const viewOf = (row: OwnerActRow, message: OwnerAct['message'], words: Words): OwnerAct => ({
  id: row.id,
  at: isoTime(row.at),
  by: row.actedBy,
  browser: row.browser,
  address: row.address,
  act: row.act,
  words: wordsOf(words.acts, row.act),
  thing: row.thing,
  message,
  details: row.details.map((detail) => detailText(words, detail)),
  done: row.done,
})

const owner = { auth: 'owner', tag: 'Operation' } as const

export const ownerActRoutes = (acts: OwnerActs, language: () => Language): Route[] => [
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/owner-acts',
    summary: 'List changes made by the owner, newest first',
    description:
      'Changes made in the window, on the command line, by programs with the owner’s token, or in the tray menu. They are kept for a year, at most 20,000. They contain no secrets and no message texts, and messages that an owner sends are not among them.',
    query: ownerActsQuery,
    answer: ownerActsAnswer,
    handler: async ({ query: { cursor, limit } }) => {
      const rows = await acts.list(cursor === undefined ? undefined : Number(cursor), limit + 1)
      const shown = rows.slice(0, limit)
      const words = WORDS[language()]
      const next = rows.length > shown.length ? String(shown.at(-1)?.seq) : null
      return list(await Promise.all(shown.map(async (row) => viewOf(row, await acts.messageOf(row), words))), next)
    },
  }),
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/owner-acts/export.csv',
    summary: 'Export changes made by the owner as a CSV table',
    description: 'Exports the whole list, with the language, time format and separator of a spreadsheet.',
    query: ownerActsExportQuery,
    answer: 'text/csv',
    handler: async ({ query, res }) => {
      beginCsv(res, 'owner-acts')
      const table = tableFor(query.language ?? language(), query.time_zone)
      let before: number | undefined
      await writePages(res, table.head, async () => {
        const rows = await acts.list(before, PAGE)
        before = rows.at(-1)?.seq
        return { text: rows.map(table.line).join(''), more: rows.length === PAGE }
      })
      return ANSWERED
    },
  }),
]

function tableFor(language: Language, timeZone: string | undefined) {
  const separator = separatorIn(language)
  const words = WORDS[language]
  const times = spreadsheetTimes(timeZone)
  const line = (cells: (string | null)[]) => `${cells.map(escaped).join(separator)}\r\n`
  return {
    head: BOM + line(Object.values(words.actColumns)),
    line: ({ at, actedBy, browser, address, act, thing, details, done }: OwnerActRow) =>
      line([
        times.format(at),
        words.actedBy[actedBy],
        [browser, address].filter((part) => part !== null).join(', '),
        wordsOf(words.acts, act),
        thing,
        details.map((detail) => detailText(words, detail)).join(', '),
        done ? '' : words.actNotKnown,
      ]),
  }
}
