import { accessFault, type Caller, callerOf, kindOf } from './access.ts'
import { pageBody } from './answers.ts'
import {
  setCallback,
  setNumberCallback,
  subscribe,
  subscribedApps,
  subscriptions,
  webhookConfiguration,
} from './callback-setup.ts'
import { type Fault, metaError, ok } from './faults.ts'
import {
  ACCOUNT,
  FieldError,
  HISTORY,
  type NodeType,
  NUMBER,
  parseFields,
  type Selection,
  select,
  TEMPLATE,
  without,
} from './fields.ts'
import { sendMessage } from './messages.ts'
import type { RecordedRequest } from './recorded.ts'
import { register } from './registration.ts'
import type { Route } from './routes.ts'
import type { PeerState } from './state.ts'

/** Version from which on a number has the business's limit; the field did not exist before. */
const BUSINESS_LIMIT_SINCE = 24
const OLDEST_USABLE = 21

/** Returns the answer of a peer without faults. */
export async function reply(
  state: PeerState,
  tokens: readonly string[],
  request: RecordedRequest,
  route: Route | null,
): Promise<Fault> {
  if (route === null) {
    return metaError(2500, { message: `Unknown path components: ${request.path}`, httpStatus: 400 })
  }
  const caller = callerOf(state, tokens, request)
  if (typeof caller !== 'string') return caller
  const refused = accessFault(state, caller, request, route)
  if (refused !== null) return refused
  try {
    return await answerOf(state, tokens, caller, request, route)
  } catch (error) {
    if (error instanceof FieldError) return metaError(100, { message: error.message })
    throw error
  }
}

function answerOf(
  state: PeerState,
  tokens: readonly string[],
  caller: Caller,
  request: RecordedRequest,
  route: Route,
): Fault | Promise<Fault> {
  const { query } = request
  const asked = query.get('fields')
  const fields = asked === null ? null : parseFields(asked)
  switch (route.name) {
    case 'messages':
    case 'marketing_messages':
      return sendMessage(state, request)
    case 'register':
      return register(state, request)
    case 'number_callback':
      return setNumberCallback(state, request)
    case 'subscriptions':
      return request.method === 'GET' ? subscriptions(state) : setCallback(state, request)
    case 'subscribed_apps':
      return request.method === 'GET' ? subscribedApps(state) : subscribe(state, request)
    case 'debug_token':
      return debugToken(state, tokens, caller, query.get('input_token'))
    case 'number':
      return node(state, route, fields)
    case 'phone_numbers':
      return ok(pageBody(present(NUMBER, state), [numberOf(state)], fields, query))
    case 'templates': {
      // Meta's filter also finds names that begin with the given one.
      const name = query.get('name')
      const rows = state.templates.filter((row) => name === null || row.name.startsWith(name))
      return ok(pageBody(present(TEMPLATE, state), rows, fields, query))
    }
    case 'message_history': {
      const id = query.get('message_id') ?? ''
      const events = state.history.get(id)
      const rows = events === undefined ? [] : [{ id: '1234567890123456', message_id: id, events: numbered(events) }]
      return ok(pageBody(HISTORY, rows, fields, query))
    }
  }
}

function node(state: PeerState, { id, version }: Route, fields: Selection | null): Fault {
  const kind = kindOf(state, id)
  if (kind === 'account') return ok(select(ACCOUNT, state.account, fields))
  if (kind === 'app') return ok({ id })
  return ok(select(present(numberType(version), state), numberOf(state), fields))
}

function numberType(version: number | null): NodeType {
  const old = (version ?? OLDEST_USABLE) < BUSINESS_LIMIT_SINCE
  return old ? without(NUMBER, 'whatsapp_business_manager_messaging_limit') : NUMBER
}

const present = (type: NodeType, { withdrawn }: PeerState): NodeType => withdrawn.reduce(without, type)

/**
 * Returns the number's fields. `messaging_limit_tier` still exists, but has no value since the
 * limit belongs to the business.
 */
function numberOf(state: PeerState): object {
  return { ...state.number, messaging_limit_tier: null, webhook_configuration: webhookConfiguration(state) }
}

function debugToken(state: PeerState, tokens: readonly string[], caller: Caller, token: string | null): Fault {
  if (token === null) return metaError(100, { message: '(#100) The parameter input_token is required.' })
  if (tokens.includes(token)) {
    if (caller === 'app' && state.tokenInfo.app_id !== state.app.id) {
      return metaError(100, { message: '(#100) The App_id in the input_token did not match the Viewing App' })
    }
    return ok({ data: state.tokenInfo })
  }
  const error = { code: 190, message: 'Invalid OAuth access token data.' }
  return ok({ data: { is_valid: false, scopes: [], error } })
}

const numbered = (events: readonly object[]): object[] =>
  events.map((event, index) => ({ id: String(2345678901234567n + BigInt(index)), ...event }))
