/** The calls of the Graph API that Kurir makes. */
export type RouteName = 'messages' | 'templates' | 'number' | 'debug_token' | 'subscribed_apps' | 'message_history'

export interface Route {
  name: RouteName
  /** The id in the path: a phone number or a business account; empty for `/debug_token`. */
  id: string
}

const EDGES: Record<string, RouteName> = {
  'POST messages': 'messages',
  'GET message_templates': 'templates',
  'GET subscribed_apps': 'subscribed_apps',
  'POST subscribed_apps': 'subscribed_apps',
  'GET message_history': 'message_history',
}

/** Finds the call in a path such as `/v26.0/123/messages`; the version may be missing, as at Meta. */
export function findRoute(method: string, path: string): Route | null {
  const [id = '', edge, ...rest] = path
    .replace(/^\/v\d+\.\d+/, '')
    .split('/')
    .slice(1)
  if (rest.length > 0) return null
  if (id === 'debug_token' && edge === undefined) return { name: 'debug_token', id: '' }
  if (!/^\d+$/.test(id)) return null
  if (edge === undefined) return method === 'GET' ? { name: 'number', id } : null
  const name = EDGES[`${method} ${edge}`]
  return name === undefined ? null : { name, id }
}
