/** Calls of the Graph API that Kurir makes. */
export type RouteName =
  | 'messages'
  | 'marketing_messages'
  | 'templates'
  | 'number'
  | 'phone_numbers'
  | 'debug_token'
  | 'subscribed_apps'
  | 'message_history'
  | 'register'
  | 'number_callback'
  | 'subscriptions'

export interface Route {
  name: RouteName
  /** Id in the path: phone number, business account or app; empty for `/debug_token`. */
  id: string
  /** Version in the path, such as 26; null if there is none, which Meta allows. */
  version: number | null
}

const EDGES: Record<string, RouteName> = {
  GET: 'number',
  POST: 'number_callback',
  'POST messages': 'messages',
  'POST marketing_messages': 'marketing_messages',
  'POST register': 'register',
  'GET message_history': 'message_history',
  'GET message_templates': 'templates',
  'GET phone_numbers': 'phone_numbers',
  'GET subscribed_apps': 'subscribed_apps',
  'POST subscribed_apps': 'subscribed_apps',
  'GET subscriptions': 'subscriptions',
  'POST subscriptions': 'subscriptions',
}

/** Newest version; Meta does not know paths with a later one. */
const NEWEST = 26

/** Returns the route of a path such as `/v26.0/123/messages`, or null. */
export function findRoute(method: string, path: string): Route | null {
  const [, major, rest = ''] = /^(?:\/v(\d+)\.\d+)?\/(.*)$/.exec(path) ?? []
  const version = major === undefined ? null : Number(major)
  if (version !== null && version > NEWEST) return null
  const [id = '', edge, ...more] = rest.split('/')
  if (more.length > 0) return null
  if (id === 'debug_token' && edge === undefined && method === 'GET') return { name: 'debug_token', id: '', version }
  const name = EDGES[edge === undefined ? method : `${method} ${edge}`]
  return name === undefined || id === '' ? null : { name, id, version }
}
