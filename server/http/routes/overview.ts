import { overview } from '../../contract/overview.ts'
import type { HealthContext } from '../../health/context.ts'
import { markFailuresSeen, readOverview } from '../../health/overview.ts'
import { defineRoute, ok, type Route } from '../route.ts'

export const overviewRoutes = (context: HealthContext): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/overview',
    auth: 'owner',
    inTurn: true,
    tag: 'Operation',
    summary: 'Read the first page',
    description: 'The concerns, the senders, and the figures of this day and the last fourteen.',
    answer: overview,
    handler: async () => ok('Overview.', await readOverview(context)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/overview/failures-seen',
    auth: 'owner',
    tag: 'Operation',
    summary: 'Mark the failures of this day as seen',
    description: 'They are no alarm any more, until as many fail again as raise one. The list of messages keeps them.',
    answer: overview,
    handler: async () => {
      await markFailuresSeen(context)
      return ok('Seen.', await readOverview(context))
    },
  }),
]
