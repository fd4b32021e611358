import { summaryAnswer, summaryQuery } from '../../contract/summary.ts'
import { monthSummary } from '../../messages/summary.ts'
import type { Store } from '../../store/index.ts'
import { defineRoute, ok, type Route } from '../route.ts'

export const summaryRoutes = (store: Store): Route[] => [
  defineRoute({
    tag: 'Messages',
    method: 'GET',
    path: '/api/summary',
    auth: 'owner',
    summary: 'Sum up a month',
    description: 'Counted by the calendar of this PC, without the sandbox.',
    query: summaryQuery,
    answer: summaryAnswer,
    handler: async ({ query: { month } }) => ok('Summary.', await monthSummary(store, month)),
  }),
]
