import type { Route } from './route.ts'

/** Names of routes for callers' programs; the owner's and other gateways' go by their path. */
const NAMES: Record<string, string> = {
  'POST /send': 'sendMessage',
  'POST /waba/send-template': 'sendTemplate',
  'GET /waba/templates': 'listTemplates',
  'GET /messages': 'listMessages',
  'GET /messages/{id}': 'getMessage',
  'DELETE /messages/{id}': 'cancelMessage',
  'DELETE /messages': 'cancelMessages',
  'DELETE /api/messages': 'deleteWaitingMessages',
  'PATCH /messages/{id}': 'changeMessage',
  'POST /messages/{id}/revoke': 'revokeMessage',
  'POST /files': 'storeFile',
  'GET /suppressions': 'listSuppressions',
  'POST /suppressions': 'addSuppression',
  'DELETE /suppressions': 'removeSuppression',
  'GET /senders': 'listSenders',
  'GET /health': 'getHealth',
  'GET /metrics': 'getMetrics',
  'GET /openapi.json': 'getDescription',
  'GET /docs': 'getDocs',
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
const VERBS: Record<string, string> = { GET: 'get', POST: 'create', PATCH: 'update', DELETE: 'delete' }

/**
 * Name of a route in clients that are generated from the description, such as
 * `rotateSecretOfWebhooks` for POST /api/webhooks/{id}/rotate-secret.
 */
export function operationName({ method, path }: Route): string {
  const known = NAMES[`${method} ${path}`]
  if (known !== undefined) return known
  const camel = (segment: string) =>
    segment
      .split(/[^a-z]+/i)
      .filter((word) => word !== '')
      .map((word, i) => (i === 0 ? word : capital(word)))
      .join('')
  if (path.startsWith('/compat/')) {
    const name = camel(path.slice('/compat/'.length).replace(/v\{\w+\}\.0/, ''))
    return method === 'GET' ? `get${capital(name)}` : name
  }
  const [, collection = '', action = ''] = /^\/api\/([^{]+?)(?:\/\{\w+\}(?:\/(.+))?)?$/.exec(path) ?? []
  if (action !== '') return `${camel(action)}Of${capital(camel(collection))}`
  const one = path.includes('{') && method === 'GET' ? 'One' : ''
  return `${VERBS[method]}${one}${capital(camel(collection))}`
}
