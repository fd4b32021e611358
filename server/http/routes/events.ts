import { ANSWERED, defineRoute, type Route } from '../route.ts'
import type { Stream } from '../stream.ts'

export const eventRoutes = (stream: Stream): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/events',
    auth: 'owner',
    tag: 'Operation',
    summary: 'What happens, as it happens (server-sent events)',
    answer: 'text/event-stream',
    handler: ({ req, res }) => {
      const lastId = req.headers['last-event-id']
      stream.open(res, typeof lastId === 'string' ? lastId : undefined)
      return ANSWERED
    },
  }),
]
