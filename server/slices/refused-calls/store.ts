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
  /** Number of the API key; null if none was recognized. */
  keyNumber: number | null
  /** Last characters of an unknown key. */
  hint: string | null
  address: string
  /** Name from the User-Agent. */
  program: string | null
}

interface RefusedCall extends RefusedCaller {
  at: number
  /** Identifies mistake and caller; calls of one group have one cause. */
  groupId: string
  method: string
  /** Path of the route, with `{name}` for its parameters. */
  path: string
  status: number
  code: string
  field: string | null
  /** Code of what is wrong with the field. */
  problem: string | null
  recipient: string | null
  looksLike: string | null
  /** May raise a concern: the call seems to come from one of the shop's programs. */
  told: boolean
}

interface CountedCall extends RefusedCall {
  /** Refusals of the group since `since`, including this one, with no gap of an hour. */
  times: number
  since: number
  /** The group had enough refusals within an hour that the owner should know. */
  often: boolean
  seen: boolean
}

export interface RefusedCallRow extends CountedCall {
  seq: number
}

/** `count` includes the group's calls that were dropped. */
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

  /** Resolves with the newest call since `since` of each group, newest group first. */
  groups(since: number): Promise<RefusedCallRow[]>

  /** Adds calls. Keeps the newest `most` of all, and the newest `mostWithoutKey` without a key. */
  add(calls: readonly NewRefusedCall[], most: number, mostWithoutKey: number): Promise<void>

  /** Removes calls from before the time; resolves with their number. */
  forget(before: number): Promise<number>

  /**
   * Marks the calls of a group as seen, or with undefined all calls. Later calls are unseen again.
   */
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

/** Calls of a group within an hour that are more than a trial. */
const OFTEN = 5

/** The stored calls of a group that new calls continue. */
interface RefusedSpell {
  groupId: string
  at: number
  times: number
  since: number
  often: boolean
  /** The group's count at its first call of the last hour, including that call. */
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

/**
 * Adds the group's count to each new call.
 * @param last earlier calls, by group
 */
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
      // Earlier calls within an hour count together with new ones.
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
