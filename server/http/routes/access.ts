import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  createKeyRequest,
  keyCreatedAnswer,
  keysAnswer,
  openSessionRequest,
  proofAnswer,
  proofQuery,
  sessionOpenedAnswer,
  sessionsAnswer,
  type WindowLink,
  windowLinkAnswer,
} from '../../contract/access.ts'
import { ApiError } from '../../contract/errors.ts'
import { emptyAnswer, idParams } from '../../contract/fields.ts'
import { COMMAND } from '../../lib/program.ts'
import { GREETING_PATH, type Prover } from '../../lib/proof.ts'
import { type Authentication, addressOf, cookieName, fromOwnPage } from '../auth.ts'
import type { ApiKeys } from '../keys.ts'
import { defineRoute, done, ok, type Route } from '../route.ts'
import type { OwnerSessions } from '../sessions.ts'

const ofKeys = { auth: 'owner', tag: 'API keys' } as const

export const keyRoutes = (keys: ApiKeys): Route[] => [
  defineRoute({
    ...ofKeys,
    method: 'POST',
    path: '/api/keys',
    summary: 'Create an API key',
    description:
      'A global key can use every sender, a device key only one. The key itself is returned only in this response.',
    body: createKeyRequest,
    answer: keyCreatedAnswer,
    handler: async ({ body }) => ok('API key created. It is shown only once.', await keys.create(body)),
  }),
  defineRoute({
    ...ofKeys,
    method: 'GET',
    path: '/api/keys',
    summary: 'List API keys',
    description: 'The list shows when each key was last used, but not the keys themselves.',
    answer: keysAnswer,
    handler: () => ok('API keys.', keys.list()),
  }),
  defineRoute({
    ...ofKeys,
    method: 'DELETE',
    path: '/api/keys/{id}',
    summary: 'Revoke an API key',
    description: 'Requests with the key are refused at once. Messages that were accepted with it stay.',
    params: idParams,
    answer: emptyAnswer,
    handler: ({ params }) => done('API key revoked.', keys.revoke(params.id)),
  }),
]

// Browsers keep no cookie longer. The session itself ends after 30 days without use.
const COOKIE_SECONDS = 400 * 24 * 3600

const ofSessions = { auth: 'owner', tag: 'Sessions' } as const

export const sessionRoutes = (
  sessions: OwnerSessions,
  authentication: Authentication,
  newWindowLink: () => WindowLink,
): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/sessions',
    auth: 'none',
    tag: 'Sessions',
    summary: 'Log in a browser with a one-time code',
    description: 'Only for pages of this Kurir. Sets a cookie and returns the token for the header `X-Kurir-Page`.',
    body: openSessionRequest,
    bodyLimit: 1024,
    answer: sessionOpenedAnswer,
    handler: async ({ body, req, res }) => {
      const from = { address: addressOf(req), browser: req.headers['user-agent'] ?? null }
      const opened =
        authentication.mayBeOwner(req) && fromOwnPage(req) ? await sessions.open(body.code, from) : undefined
      if (opened === undefined) throw authentication.refuse(req, wrongCode())
      setCookie(req, res, opened.cookie)
      return ok('Logged in.', { id: opened.id, page_token: opened.pageToken })
    },
  }),
  defineRoute({
    ...ofSessions,
    method: 'POST',
    path: '/api/sessions/code',
    summary: 'Create a login link for the window',
    description: "The link works once, within 10 minutes, on this PC or on the owner's phone.",
    answer: windowLinkAnswer,
    handler: () => ok('The link works once.', newWindowLink()),
  }),
  defineRoute({
    ...ofSessions,
    method: 'GET',
    path: '/api/sessions',
    summary: 'List the browsers that are logged in',
    description: 'The list shows the address and the last use of each session.',
    answer: sessionsAnswer,
    handler: ({ caller }) => ok('Sessions.', sessions.list(caller.session)),
  }),
  defineRoute({
    ...ofSessions,
    method: 'DELETE',
    path: '/api/sessions/{id}',
    summary: 'Log out a browser',
    description: 'The stream of changes to this browser ends at once, and the browser must log in again.',
    params: idParams,
    answer: emptyAnswer,
    handler: ({ params }) => done('Logged out.', sessions.revoke(params.id)),
  }),
]

const wrongCode = () =>
  new ApiError('owner_only', `This link was used already or is older than 10 minutes. Get a new one: ${COMMAND} open`)

function setCookie(req: IncomingMessage, res: ServerResponse, value: string): void {
  const secure = req.headers.origin?.startsWith('https://') === true ? ['Secure'] : []
  const parts = [`${cookieName(req)}=${value}`, 'HttpOnly', 'SameSite=Strict', 'Path=/', ...secure]
  res.setHeader('set-cookie', [...parts, `Max-Age=${COOKIE_SECONDS}`].join('; '))
}

export const proofRoutes = ({ greet }: Prover): Route[] => [
  defineRoute({
    method: 'GET',
    path: GREETING_PATH,
    auth: 'none',
    tag: 'Sessions',
    summary: 'Prove the identity of this Kurir',
    description:
      "The command line and other nodes call this before they send a request, to be sure that they talk to the right Kurir. They never send the owner's token itself.",
    query: proofQuery,
    answer: proofAnswer,
    handler: ({ query }) => ok('Proof.', greet(query.nonce)),
  }),
]
