import type { IncomingMessage, ServerResponse } from 'node:http'
import type { OwnerSessions } from '../../access/sessions.ts'
import { emptyAnswer } from '../../contract/envelope.ts'
import { ApiError } from '../../contract/errors.ts'
import { idParams } from '../../contract/fields.ts'
import {
  openSessionRequest,
  sessionOpenedAnswer,
  sessionsAnswer,
  type WindowLink,
  windowLinkAnswer,
} from '../../contract/sessions.ts'
import { COMMAND } from '../../lib/command.ts'
import { type Authentication, addressOf, cookieName, fromOwnPage } from '../auth.ts'
import { defineRoute, done, ok, type Route } from '../route.ts'

// Browsers keep a cookie no longer; the session ends here, when it was not used for 30 days.
const COOKIE_SECONDS = 400 * 24 * 3600

const owner = { auth: 'owner', tag: 'Sessions' } as const

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
    summary: 'Log a browser in with the one-time code of a link',
    description:
      'Only from a page of this Kurir. Sets the cookie, and answers the token for the header `X-Kurir-Page`.',
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
    ...owner,
    method: 'POST',
    path: '/api/sessions/code',
    summary: 'Make a link that opens the window',
    description: 'It works once, within 10 minutes, on this PC or on the phone of the owner.',
    answer: windowLinkAnswer,
    handler: () => ok('The link works once.', newWindowLink()),
  }),
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/sessions',
    summary: 'List the browsers that are logged in',
    description: 'With the address and the last use of each.',
    answer: sessionsAnswer,
    handler: ({ caller }) => ok('Sessions.', sessions.list(caller.session)),
  }),
  defineRoute({
    ...owner,
    method: 'DELETE',
    path: '/api/sessions/{id}',
    summary: 'Log a browser out',
    description: 'Its stream of changes ends at once, and it has to log in again.',
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
