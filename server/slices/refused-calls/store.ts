import { HOUR } from '../../lib/clock.ts'
import {
  type Columns,
  flag,
  integer,
  integerOrNull,
  type Statements,
  text,
  textOrNull,
  writing,
} from '../../store/index.ts'

export interface RefusedCaller {
  /** Number of the API key; null where none was recognised. */
  keyNumber: number | null
  /** The last characters of a key that is not known. */
  hint: string | null
  address: string
  /** The program as it calls itself. */
  program: string | null
}

/** A call of a program that was answered with an error. */
interface RefusedCall extends RefusedCaller {
  at: number
  /** Names what was wrong and whose call it was: calls of one group are one fault. */
  groupId: string
  method: string
  /** As the route is written, with `{name}` for what varies. */
  path: string
  status: number
  code: string
  field: string | null
  /** Code of what was wrong with the field. */
  problem: string | null
  recipient: string | null
  /** The gateway that the call was meant for. */
  looksLike: string | null
  /** It may be a concern: a program of the shop called, as far as that can be told. */
  told: boolean
}

interface CountedCall extends RefusedCall {
  /** How often its group was refused since `since`, this call included, with no hour between. */
  times: number
  since: number
  /** The group was refused so often within an hour that the owner should know. */
  often: boolean
  /** The owner has seen it. */
  seen: boolean
}

export interface RefusedCallRow extends CountedCall {
  seq: number
}

/** A call as it is noted; `count` more than 1: others of its group that are not kept. */
export interface NewRefusedCall extends RefusedCall {
  count: number
}

export interface RefusedCallFilter {
  before: number | undefined
  limit: number
  groupId?: string | undefined
}

export interface RefusedCallStore {
  /** Newest first; `before` is a `seq`. */
  list(filter: RefusedCallFilter): Promise<RefusedCallRow[]>

  /** The newest call of each group since `since`, the newest group first. */
  groups(since: number): Promise<RefusedCallRow[]>

  /** Keeps the newest `most` of all, and of those without a key the newest `mostWithoutKey`. */
  add(calls: readonly NewRefusedCall[], most: number, mostWithoutKey: number): Promise<void>

  /** Removes those from before; resolves with their number. */
  forget(before: number): Promise<number>

  /** Notes that the owner has seen a group; undefined: all. Those that come later are new. */
  markSeen(groupId: string | undefined): Promise<void>
}

const COUNTED_CALL: Columns<CountedCall> = {
  at: integer('at'),
  groupId: text('group_id'),
  keyNumber: integerOrNull('key_number'),
  hint: textOrNull('hint'),
  address: text('address'),
  program: textOrNull('program'),
  method: text('method'),
  path: text('path'),
  status: integer('status'),
  code: text('code'),
  field: textOrNull('field'),
  problem: textOrNull('problem'),
  recipient: textOrNull('recipient'),
  looksLike: textOrNull('looks_like'),
  told: flag('told'),
  times: integer('times'),
  since: integer('since'),
  often: flag('often'),
  seen: flag('seen'),
}

const REFUSED_CALL: Columns<RefusedCallRow> = { seq: integer('seq'), ...COUNTED_CALL }

/** Calls of one group within an hour from which on they are more than a try. */
const OFTEN = 5

/** The calls of a group that new ones follow. */
interface RefusedSpell {
  groupId: string
  at: number
  times: number
  since: number
  often: boolean
  /** How often it had been refused when its first call of the last hour came, that one included. */
  timesBefore: number
}

const REFUSED_SPELL: Columns<RefusedSpell> = {
  groupId: text('group_id'),
  at: integer('max(at)'),
  times: integer('max(times)'),
  since: integer('min(since)'),
  often: flag('max(often)'),
  timesBefore: integer('min(times)'),
}

/** New calls, each with how often its group was refused. @param last what came before, by group */
function countRefusals(calls: readonly NewRefusedCall[], last: readonly RefusedSpell[]): CountedCall[] {
  const spells = new Map(last.map((spell) => [spell.groupId, spell]))
  return calls.map(({ count, ...call }) => {
    const before = spells.get(call.groupId)
    const goesOn = before !== undefined && call.at - before.at < HOUR
    const times = (goesOn ? before.times : 0) + count
    const spell = {
      groupId: call.groupId,
      at: call.at,
      times,
      since: goesOn ? before.since : call.at,
      often: (goesOn && before.often) || times - (goesOn ? before.timesBefore - 1 : 0) >= OFTEN,
      timesBefore: goesOn ? before.timesBefore : 1,
    }
    spells.set(call.groupId, spell)
    return { ...call, times, since: spell.since, often: spell.often, seen: false }
  })
}

export function createRefusedCallStore({ rows, one, bind, insert, write }: Statements): RefusedCallStore {
  const page = rows(
    REFUSED_CALL,
    'FROM refused_calls WHERE seq < $1 AND (CAST($2 AS TEXT) IS NULL OR group_id = $2) ORDER BY seq DESC LIMIT $3',
  )
  const spell = one(REFUSED_SPELL, 'FROM refused_calls WHERE group_id = $1 AND at > $2 AND seen = 0 GROUP BY group_id')
  const put = insert('refused_calls', writing(COUNTED_CALL))
  const trim = bind('DELETE FROM refused_calls WHERE seq <= (SELECT max(seq) FROM refused_calls) - $1')
  const trimWithoutKey = bind(
    `DELETE FROM refused_calls WHERE key_number IS NULL AND seq <= (
       SELECT seq FROM refused_calls WHERE key_number IS NULL ORDER BY seq DESC LIMIT 1 OFFSET $1)`,
  )
  const forget = bind('DELETE FROM refused_calls WHERE at < $1')
  const markSeen = bind(
    'UPDATE refused_calls SET seen = 1 WHERE seen = 0 AND (CAST($1 AS TEXT) IS NULL OR group_id = $1)',
  )
  return {
    list: ({ before = Number.MAX_SAFE_INTEGER, limit, groupId = null }) => page(before, groupId, limit),
    groups: rows(
      REFUSED_CALL,
      `FROM refused_calls WHERE seq IN (SELECT max(seq) FROM refused_calls WHERE at > $1 GROUP BY group_id)
       ORDER BY seq DESC`,
    ),
    async add(calls, most, mostWithoutKey) {
      // Those that count with new ones.
      const since = Math.min(...calls.map(({ at }) => at)) - HOUR
      const ids = [...new Set(calls.map(({ groupId }) => groupId))]
      const last = await Promise.all(ids.map((id) => spell(id, since)))
      const counted = countRefusals(
        calls,
        last.filter((each) => each !== undefined),
      )
      await write(...put(counted), trim(most), trimWithoutKey(mostWithoutKey))
    },
    forget: (before) => write(forget(before)),
    async markSeen(groupId) {
      await write(markSeen(groupId ?? null))
    },
  }
}
