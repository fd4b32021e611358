import { overview } from '../../contract/overview.ts'
import type { ReadOverview } from '../../health/overview.ts'
import { defineRoute, ok, type Route } from '../route.ts'

export const overviewRoutes = (readOverview: ReadOverview): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/overview',
    auth: 'owner',
    inTurn: true,
    tag: 'Operation',
    summary: 'What the first page shows',
    answer: overview,
    handler: async () => ok('Overview.', await readOverview()),
  }),
]
