import type { RawCall } from '../../http/read-call.ts'
import type { RouteName } from '../../http/route.ts'
import type { Store } from '../../store/index.ts'
import type { en } from '../../words/en/index.ts'
import type { Words } from '../../words/say.ts'

export type Act = keyof typeof en.acts

/** Routes of the owner that are not noted: sending stands under Messages, the others look. */
export const NOT_NOTED: readonly string[] = [
  'POST /send',
  'POST /files',
  'POST /api/senders/{code}/check',
  'POST /api/senders/{code}/second-road/try',
  'POST /api/tables/{id}/check',
  'POST /api/suppressions/import/check',
]

/** The name of a route in the list; undefined: what it does is not noted. */
export function actOf({ method, path, auth }: RouteName): string | undefined {
  const act = `${method} ${path}`
  const changes = method !== 'GET' && (auth === 'owner' || auth === 'key_or_owner')
  return changes && !NOT_NOTED.includes(act) ? act : undefined
}

/** The words for an act; its route where a version that had other routes wrote it. */
export const wordsOf = (acts: Readonly<Record<Act, string>>, act: string): string =>
  Object.hasOwn(acts, act) ? acts[act as Act] : act

const LONGEST = 200
/** Members of a body that say what is done, and never who gets it. */
export const CHOSEN = ['action', 'decision', 'kind', 'scope']

const membersOf = (given: unknown): Record<string, unknown> => ({ ...(given as object | null) })
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
const hostOf = (url: string | undefined): string | undefined => URL.parse(url ?? '')?.host

/** The list outlives messages, after which no number may be left. */
const endOfNumber = (phone: string | undefined): string | undefined => {
  const digits = phone?.replace(/\D/g, '') ?? ''
  return digits.length < 7 ? undefined : `…${digits.slice(-4)}`
}

/** Names what the `{id}` after its path stands for. */
export interface Named {
  path: string
  find(id: string): Promise<string | undefined> | string | undefined
}

export interface ThingContext {
  store: Store
  /** Those of slices. */
  named: readonly Named[]
}

const namedInCore = ({ keys, endpoints, ownerSessions }: Store): Named[] => [
  { path: '/api/keys/', find: (id) => keys.list().find((key) => key.id === id)?.name },
  { path: '/api/webhooks/', find: (id) => hostOf(endpoints.get(Number(id))?.url) },
  { path: '/api/sessions/', find: (id) => ownerSessions.list().find((one) => one.id === id)?.address ?? undefined },
]

/** Name of what an act is done to, as it is called before it. */
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

/** Names of what was changed; values only of switches and of choices: they are no secrets. */
export function detailsOf(method: string, body: unknown): string[] {
  return Object.entries(membersOf(body)).flatMap(([name, value]) => {
    if (CHOSEN.includes(name) && typeof value === 'string') return [`${name}=${value}`.slice(0, LONGEST)]
    if (method !== 'PATCH') return []
    return [typeof value === 'boolean' ? `${name}=${value ? 'on' : 'off'}` : name.slice(0, LONGEST)]
  })
}

const known = (texts: Readonly<Record<string, string>>, code: string): string =>
  Object.hasOwn(texts, code) ? (texts[code] ?? code) : code

/** The words for what was changed; names of another version as they were noted. */
export function detailText({ actNames, actValues }: Words, detail: string): string {
  const [name = '', value] = detail.split('=', 2)
  return value === undefined ? known(actNames, name) : `${known(actNames, name)}: ${known(actValues, value)}`
}
