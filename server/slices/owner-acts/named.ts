import type { RawCall } from '../../http/read-call.ts'
import type { RouteName } from '../../http/route.ts'
import type { Store } from '../../store/index.ts'
import type { en } from '../../words/en/index.ts'
import type { Words } from '../../words/say.ts'

export type Act = keyof typeof en.acts

/** Owner routes that are not recorded: sending shows under Messages, the others change nothing. */
export const NOT_NOTED: readonly string[] = [
  'POST /send',
  'POST /files',
  'POST /api/senders/{code}/check',
  'POST /api/senders/{code}/second-road/try',
  'POST /api/tables/{id}/check',
  'POST /api/suppressions/import/check',
]

/** Returns a route's name in the list, or undefined if its calls are not recorded. */
export function actOf({ method, path, auth }: RouteName): string | undefined {
  const act = `${method} ${path}`
  const changes = method !== 'GET' && (auth === 'owner' || auth === 'key_or_owner')
  return changes && !NOT_NOTED.includes(act) ? act : undefined
}

/** Returns the text for an act, or its route if only another version of Kurir knows it. */
export const wordsOf = (acts: Readonly<Record<Act, string>>, act: string): string =>
  Object.hasOwn(acts, act) ? acts[act as Act] : act

const LONGEST = 200
/** Body members whose value says what is done and never who receives it. */
export const CHOSEN = ['action', 'decision', 'kind', 'scope']

const membersOf = (given: unknown): Record<string, unknown> => ({ ...(given as object | null) })
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
const hostOf = (url: string | undefined): string | undefined => URL.parse(url ?? '')?.host

/**
 * Shortens a number, because acts are kept longer than messages, after which no number may remain.
 */
const endOfNumber = (phone: string | undefined): string | undefined => {
  const digits = phone?.replace(/\D/g, '') ?? ''
  return digits.length < 7 ? undefined : `…${digits.slice(-4)}`
}

/** Finds the name of the thing whose id follows `path`. */
export interface Named {
  path: string
  find(id: string): Promise<string | undefined> | string | undefined
}

export interface ThingContext {
  store: Store
  /** Entries that slices contribute. */
  named: readonly Named[]
}

const namedInCore = ({ keys, endpoints, ownerSessions }: Store): Named[] => [
  { path: '/api/keys/', find: (id) => keys.list().find((key) => key.id === id)?.name },
  { path: '/api/webhooks/', find: (id) => hostOf(endpoints.get(Number(id))?.url) },
  { path: '/api/sessions/', find: (id) => ownerSessions.list().find((one) => one.id === id)?.address ?? undefined },
]

/**
 * Returns the name of the thing that an act concerns, as it is before the act; null if there is
 * none.
 */
export async function thingOf(path: string, call: RawCall, { store, named }: ThingContext): Promise<string | null> {
  const params = membersOf(call.params)
  const body = membersOf(call.body)
  const query = membersOf(call.query)
  const code = textOf(params.code) ?? textOf(body.sender_code) ?? textOf(query.sender_code)
  const sender = code === undefined ? undefined : (store.senders.byCode(code)?.settings.name ?? code)
  const id = textOf(params.id)
  const its = [...namedInCore(store), ...named].find((each) => path.startsWith(each.path))
  const name = id === undefined ? textOf(params.name) : ((await its?.find(id)) ?? id)
  const made = textOf(body.name) ?? textOf(body.template_name) ?? hostOf(textOf(body.url))
  const person = path === '/suppressions' ? endOfNumber(textOf(body.phone) ?? textOf(query.phone)) : undefined
  const parts = [name ?? made, person, sender].filter((part) => part !== undefined)
  return parts.length === 0 ? null : [...new Set(parts)].join(' · ').slice(0, LONGEST)
}

/**
 * Returns the names of changed members. Values are included only for switches and choices, which
 * are no secrets.
 */
export function detailsOf(method: string, body: unknown): string[] {
  return Object.entries(membersOf(body)).flatMap(([name, value]) => {
    if (CHOSEN.includes(name) && typeof value === 'string') return [`${name}=${value}`.slice(0, LONGEST)]
    if (method !== 'PATCH') return []
    return [typeof value === 'boolean' ? `${name}=${value ? 'on' : 'off'}` : name.slice(0, LONGEST)]
  })
}

const known = (texts: Readonly<Record<string, string>>, code: string): string =>
  Object.hasOwn(texts, code) ? (texts[code] ?? code) : code

/** Returns the text for a detail; names of another version of Kurir stay as stored. */
export function detailText({ actNames, actValues }: Words, detail: string): string {
  const [name = '', value] = detail.split('=', 2)
  return value === undefined ? known(actNames, name) : `${known(actNames, name)}: ${known(actValues, value)}`
}
