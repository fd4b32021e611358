import { acceptedBody, numberBody, pageBody, type TemplateRow, tokenBody } from './answers.ts'
import { type Fault, metaError } from './faults.ts'
import { type RecordedRequest, recipientOf } from './recorded.ts'
import type { Route } from './routes.ts'

/** What the peer knows; tests assign to it. */
export interface PeerState {
  templates: TemplateRow[]
  number: Record<string, unknown>
  tokenInfo: Record<string, unknown>
  subscribedApps: { id: string; name: string }[]
  /** Events of `message_history` by message id. */
  history: Map<string, Record<string, unknown>[]>
}

export function createState(): PeerState {
  return {
    templates: [],
    number: numberBody('106540352242922'),
    tokenInfo: tokenBody(),
    subscribedApps: [],
    history: new Map(),
  }
}

/** What is wrong with a call, as Meta would say it; `null` when it is fine. */
export function faultOf(request: RecordedRequest, route: Route | null, tokens: readonly string[]): Fault | null {
  if (!tokens.includes(request.headers.authorization?.replace(/^Bearer /, '') ?? '')) {
    return metaError(190, { message: 'Invalid OAuth access token - Cannot parse access token' })
  }
  if (route === null) return metaError(2500, { message: `Unknown path components: ${request.path}` })
  if (route.name === 'messages' && recipientOf(request) === '') {
    return metaError(131008, { details: 'The parameter to is required.' })
  }
  return null
}

/** The answer of a peer that is well. */
export function answerFrom(state: PeerState, request: RecordedRequest, route: Route): object {
  const { query } = request
  switch (route.name) {
    case 'messages':
      return acceptedBody(request.wamid, recipientOf(request), 'accepted')
    case 'templates': {
      const name = query.get('name')
      const rows = state.templates.filter((row) => name === null || row.name === name)
      return pageBody(rows, query)
    }
    case 'number':
      return { ...state.number, id: route.id }
    case 'debug_token':
      return { data: state.tokenInfo }
    case 'subscribed_apps':
      if (request.method === 'GET') {
        return { data: state.subscribedApps.map((app) => ({ whatsapp_business_api_data: { ...app, link: '' } })) }
      }
      state.subscribedApps = [{ id: String(state.tokenInfo.app_id), name: String(state.tokenInfo.application) }]
      return { success: true }
    case 'message_history': {
      const id = query.get('message_id') ?? ''
      const events = state.history.get(id)
      return { data: events ? [{ id: '1', message_id: id, events: { data: events } }] : [] }
    }
  }
}
