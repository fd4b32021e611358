import { type Fault, metaError, noObject } from './faults.ts'
import type { RecordedRequest } from './recorded.ts'
import type { Route, RouteName } from './routes.ts'
import type { PeerState } from './state.ts'

/**
 * Decides whether a call is allowed, in the order in which Meta checks: path, token, object,
 * permission.
 */

const MESSAGING = 'whatsapp_business_messaging'
const MANAGEMENT = 'whatsapp_business_management'

/** Permissions by route; one of them is enough. */
const SCOPES: Partial<Record<RouteName, readonly string[]>> = {
  messages: [MESSAGING],
  marketing_messages: [MESSAGING],
  templates: [MANAGEMENT],
  number: [MESSAGING, MANAGEMENT],
  phone_numbers: [MANAGEMENT],
  subscribed_apps: [MANAGEMENT],
  message_history: [MANAGEMENT],
  register: [MANAGEMENT],
  number_callback: [MANAGEMENT],
}

/** Kind of object that each edge belongs to. */
const OWNERS: Record<RouteName, 'number' | 'account' | 'app' | 'any'> = {
  messages: 'number',
  marketing_messages: 'number',
  register: 'number',
  number_callback: 'number',
  message_history: 'number',
  templates: 'account',
  phone_numbers: 'account',
  subscribed_apps: 'account',
  subscriptions: 'app',
  number: 'any',
  debug_token: 'any',
}

const EDGE_NAMES: Partial<Record<RouteName, string>> = { templates: 'message_templates' }
const NODE_NAMES = { number: 'WhatsAppBusinessPhoneNumber', account: 'WhatsAppBusinessAccount', app: 'Application' }

export type Caller = 'app' | 'system user'

const tokenOf = ({ headers, query }: RecordedRequest): string =>
  headers.authorization?.replace(/^(Bearer|OAuth) /, '') ?? query.get('access_token') ?? ''

/** Returns the caller, or a fault if the token is not valid. */
export function callerOf(state: PeerState, tokens: readonly string[], request: RecordedRequest): Caller | Fault {
  const token = tokenOf(request)
  if (token === '' || /\s/.test(token)) return metaError(104)
  if (token.includes('|')) {
    const fits = token === `${state.app.id}|${state.app.secret}`
    return fits ? 'app' : metaError(190, { message: 'Invalid OAuth access token signature.', httpStatus: 400 })
  }
  if (!tokens.includes(token)) {
    return metaError(190, { message: 'Invalid OAuth access token - Cannot parse access token' })
  }
  if (state.tokenInfo.is_valid !== true) {
    const { error } = state.tokenInfo as { error?: { message?: string } }
    return metaError(190, { subcode: 463, ...(error?.message === undefined ? {} : { message: error.message }) })
  }
  return 'system user'
}

export function kindOf(state: PeerState, id: string): 'number' | 'account' | 'app' | null {
  if (id === state.number.id) return 'number'
  if (id === state.account.id) return 'account'
  return id === state.app.id ? 'app' : null
}

/** Returns the fault if the caller may not use this edge of the object; null if it may. */
export function accessFault(state: PeerState, caller: Caller, request: RecordedRequest, route: Route): Fault | null {
  if (route.name === 'debug_token') return null
  const kind = kindOf(state, route.id)
  if (kind === null) return noObject(request.method, route.id)
  const owner = OWNERS[route.name]
  if (owner !== 'any' && owner !== kind) {
    if (request.method !== 'GET') return noObject(request.method, route.id)
    const edge = EDGE_NAMES[route.name] ?? route.name
    return metaError(100, {
      message: `(#100) Tried accessing nonexisting field (${edge}) on node type (${NODE_NAMES[kind]})`,
    })
  }
  if (owner === 'app') return caller === 'app' ? null : metaError(15)
  if (caller === 'app') return noObject(request.method, route.id)
  const needed = SCOPES[route.name] ?? []
  const scopes = (state.tokenInfo.scopes ?? []) as readonly string[]
  if (needed.some((scope) => scopes.includes(scope))) return null
  return metaError(200, { message: `(#200) Requires ${needed.join(' or ')} permission to manage the object` })
}
