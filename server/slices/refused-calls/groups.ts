import { z } from 'zod'
import { type Concern, createConcern } from '../../contract/concerns.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Gateway } from '../../http/outline.ts'
import { DAY, HOUR, isoTime } from '../../lib/clock.ts'
import type { KeyStore, Store } from '../../store/index.ts'
import { isHere, SLIP } from './about.ts'
import { OTHER_PATHS, type RefusedCalls } from './calls.ts'
import type { Decision, KnownProgram, RefusedCall, RefusedCode, RefusedGroup } from './contract.ts'
import type { RefusedCallRow, RefusedCallStore } from './store.ts'

export interface GroupContext {
  store: Store
  rows: RefusedCallStore
  keys: KeyStore
  calls: RefusedCalls
  mouths: readonly Gateway[]
  isOn: (name: string) => boolean
  switchOn: (name: string) => Promise<void>
  now: () => number
}

/** Time for the owner to enter the new address in a program that was let in. */
const LET_IN_FOR = DAY
const MOST_CONCERNS = 3
/** Most groups listed, because the page draws them all. */
const MOST_LISTED = 200

/** By gateway: the time until which its programs raise no concern; null: forever. */
const decisions = z.record(z.string(), z.number().nullable())

const decided = ({ store }: GroupContext) => decisions.parse(JSON.parse(store.meta.get('programs_decided') ?? '{}'))

const whoOf = (keys: KeyStore) => {
  const known = new Map(keys.list().map((key) => [key.number, key]))
  return ({ keyNumber, hint, address, program }: RefusedCallRow) => {
    const key = keyNumber === null ? undefined : known.get(keyNumber)
    return { key: key?.name ?? null, hint: key?.hint ?? hint, address, program }
  }
}

const mistakeOf = ({ method, path, status, code, field, problem, looksLike }: RefusedCallRow) => ({
  ...{ method, path, status, field, problem, looks_like: looksLike },
  // The column holds only codes that were written as RefusedCode.
  code: code as RefusedCode,
})

/** Returns a page of calls, newest first. */
export async function listCalls(
  { rows, keys, calls }: GroupContext,
  filter: { before: number | undefined; limit: number; groupId: string | undefined },
): Promise<RefusedCall[]> {
  await calls.flush()
  const who = whoOf(keys)
  return (await rows.list(filter)).map((row) => ({
    ...{ id: String(row.seq), at: isoTime(row.at), group: row.groupId },
    ...{ ...who(row), ...mistakeOf(row), recipient: row.recipient },
  }))
}

/** Returns the groups of calls, newest first. */
export async function listGroups({ rows, keys, calls }: GroupContext): Promise<RefusedGroup[]> {
  await calls.flush()
  const who = whoOf(keys)
  return (await rows.groups(0)).slice(0, MOST_LISTED).map((row) => ({
    ...{ id: row.groupId, ...who(row), here: isHere(row.address), ...mistakeOf(row) },
    ...{ times: row.times, since: isoTime(row.since), at: isoTime(row.at), seen: row.seen },
  }))
}

export async function markSeen({ rows, calls }: GroupContext, groupId: string | undefined): Promise<void> {
  await calls.flush()
  await rows.markSeen(groupId)
}

const callerOf = ({ address, program }: RefusedCallRow) => `${address} ${program}`

/** Returns the callers that tried many paths, which are scanners. */
const scannersAmong = (rows: readonly RefusedCallRow[]): ReadonlySet<string> =>
  new Set(rows.filter(({ path }) => path === OTHER_PATHS).map(callerOf))

interface Choice {
  name: string
  last: RefusedCallRow
  times: number
  since: number
}

/** Separates the programs that the owner may let in, by gateway, from other groups of calls. */
function sorted(rows: readonly RefusedCallRow[]): { choices: Choice[]; others: RefusedCallRow[] } {
  const scanners = scannersAmong(rows)
  const told = rows.filter((row) => row.told && !(row.keyNumber === null && scanners.has(callerOf(row))))
  const [ofGateways, others] = [true, false].map((is) =>
    told.filter(({ looksLike, address }) => (looksLike !== null && isHere(address)) === is),
  )
  const choices = [...Map.groupBy(ofGateways ?? [], ({ looksLike }) => looksLike ?? '')].flatMap(([name, its]) => {
    const [last] = its
    if (last === undefined) return []
    const times = its.reduce((sum, row) => sum + row.times, 0)
    return { name, last, times, since: Math.min(...its.map(({ since }) => since)) }
  })
  return { choices, others: others ?? [] }
}

const mouthOf = ({ mouths }: GroupContext, name: string) => mouths.find((each) => each.name === name)?.mouth ?? null

const viewOf = (context: GroupContext, { name, last, times, since }: Choice): KnownProgram => {
  const mouth = mouthOf(context, name)
  return {
    name,
    mouth: mouth === null ? null : { path: mouth.path, on: context.isOn(mouth.switch) },
    ...mistakeOf(last),
    ...{ hint: last.hint, program: last.program },
    ...{ times, since: isoTime(since), at: isoTime(last.at) },
  }
}

/** Returns the programs that may be let in, including those that the owner has decided on. */
export async function listPrograms(context: GroupContext): Promise<KnownProgram[]> {
  await context.calls.flush()
  const rows = await context.rows.groups(context.now() - DAY)
  return sorted(rows).choices.map((choice) => viewOf(context, choice))
}

/** @throws ApiError `not_found` */
export async function decide(context: GroupContext, name: string, decision: Decision): Promise<KnownProgram> {
  const program = (await listPrograms(context)).find((each) => each.name === name)
  if (program === undefined) throw new ApiError('not_found', 'No program of this PC calls like that.')
  const mouth = mouthOf(context, name)
  if (decision === 'let_in' && mouth !== null) await context.switchOn(mouth.switch)
  const until = decision === 'dismiss' ? null : context.now() + LET_IN_FOR
  await context.store.meta.save('programs_decided', JSON.stringify({ ...decided(context), [name]: until }))
  return { ...program, mouth: program.mouth && { ...program.mouth, on: program.mouth.on || decision === 'let_in' } }
}

/**
 * Returns the concerns: the most frequent groups of refused calls, and programs that may be let in.
 */
export async function findConcerns(context: GroupContext): Promise<Concern[]> {
  const now = context.now()
  const { choices, others } = sorted(await context.rows.groups(now - DAY))
  const until = decided(context)
  const who = whoOf(context.keys)
  const isOpen = ({ name }: Choice) => until[name] === undefined || (until[name] !== null && until[name] <= now)
  const wayOf = (name: string) => (name === SLIP ? 'slip' : mouthOf(context, name) === null ? 'none' : 'mouth')
  const refusals = others
    .filter(({ at, often, seen }) => often && !seen && now - at < HOUR)
    .toSorted((a, b) => b.times - a.times)
    .slice(0, MOST_CONCERNS)
  return [
    ...refusals.map((row) => refusalConcern({ ...row, id: row.groupId, key: who(row).key })),
    ...choices.filter(isOpen).map((choice) => programConcern({ ...choice, way: wayOf(choice.name) })),
  ]
}

/** Refused calls of one group. */
interface RefusalFacts {
  id: string
  /** Name of the API key; null: the call had no known key. */
  key: string | null
  code: string
  times: number
  since: number
}

/** Programs of this PC that call like those of a gateway. */
interface ProgramFacts {
  name: string
  /**
   * `mouth`: Kurir can answer as the gateway. `slip`: the calls are nearly right. `none`: neither.
   */
  way: 'mouth' | 'slip' | 'none'
  times: number
  since: number
}

/** Pure. */
export const refusalConcern = ({ id, key, code, times, since }: RefusalFacts): Concern =>
  createConcern('calls_refused', {
    id: `calls_refused/${id}`,
    program: key,
    detail: code,
    count: times,
    since,
    page: `/refused-calls?open=${id}`,
  })

/** Pure. */
export const programConcern = ({ name, way, times, since }: ProgramFacts): Concern =>
  createConcern(way === 'slip' ? 'program_nearly_right' : 'program_of_another_gateway', {
    id: `program/${name}`,
    detail: name,
    count: times,
    since,
    page: `/?program=${encodeURIComponent(name)}`,
    ...(way === 'none' ? { action: 'what_to_do' } : {}),
  })
