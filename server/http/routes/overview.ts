import { overview } from '../../contract/overview.ts'
import type { ReadOverview } from '../../health/overview.ts'
import { defineRoute, ok, type Route } from '../route.ts'

interface OverviewSide {
  readOverview: ReadOverview
  markFailuresSeen: () => Promise<void>
}

export const overviewRoutes = ({ readOverview, markFailuresSeen }: OverviewSide): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/overview',
    auth: 'owner',
    inTurn: true,
    tag: 'Operation',
    summary: 'Read the first page',
    description: 'The concerns, the senders, and the figures of this day and the last fourteen.',
    answer: overview,
    handler: async () => ok('Overview.', await readOverview()),
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
      await markFailuresSeen()
      return ok('Seen.', await readOverview())
    },
  }),
]
