import type { Authentication } from '../auth.ts'
import { ANSWERED, defineRoute, type Route } from '../route.ts'
import type { OwnerSessions } from '../sessions.ts'
import type { Stream } from '../stream.ts'

export const eventRoutes = (stream: Stream, sessions: OwnerSessions, authentication: Authentication): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/events',
    auth: 'owner',
    tag: 'Operation',
    summary: 'Stream changes (server-sent events)',
    description: 'Changed messages come with their row; everything else says only what to read again.',
    answer: 'text/event-stream',
    handler: ({ req, res, caller: { session } }) => {
      if (session !== null)
        res.on(
          'close',
          sessions.whenRevoked(session, () => res.destroy()),
        )
      const lastId = req.headers['last-event-id']
      stream.open(res, {
        lastId: typeof lastId === 'string' ? lastId : undefined,
        mayRead: () => authentication.mayBeOwner(req) && (session === null || sessions.isOpen(session)),
      })
      return ANSWERED
    },
  }),
]
