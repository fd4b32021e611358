import type { OwnerSessions } from '../../access/sessions.ts'
import { ANSWERED, defineRoute, type Route } from '../route.ts'
import type { Stream } from '../stream.ts'

export const eventRoutes = (stream: Stream, sessions: Pick<OwnerSessions, 'whenRevoked'>): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/events',
    auth: 'owner',
    tag: 'Operation',
    summary: 'What happens, as it happens (server-sent events)',
    answer: 'text/event-stream',
    handler: ({ req, res, caller }) => {
      if (caller.session !== null)
        res.on(
          'close',
          sessions.whenRevoked(caller.session, () => res.destroy()),
        )
      const lastId = req.headers['last-event-id']
      stream.open(res, typeof lastId === 'string' ? lastId : undefined)
      return ANSWERED
    },
  }),
]
