/** The calls of the Graph API that Kurir makes. */
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
  /** The id in the path: a phone number, a business account or an app; empty for `/debug_token`. */
  id: string
  /** Version of the path, such as 26; `null` when the path names none, as Meta allows. */
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

/** The newest version that exists; a path with a later one is unknown to Meta. */
const NEWEST = 26

/** Finds the call in a path such as `/v26.0/123/messages`. */
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
