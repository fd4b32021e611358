import { summaryAnswer, summaryQuery } from '../../contract/summary.ts'
import { monthSummary, type SummaryDeps } from '../../messages/summary.ts'
import { defineRoute, ok, type Route } from '../route.ts'

export const summaryRoutes = (deps: SummaryDeps): Route[] => [
  defineRoute({
    tag: 'Messages',
    method: 'GET',
    path: '/api/summary',
    auth: 'owner',
    summary: 'Sum up a month',
    description: 'Counted by the calendar of this PC, without the sandbox.',
    query: summaryQuery,
    answer: summaryAnswer,
    handler: async ({ query: { month } }) => ok('Summary.', await monthSummary(deps, month)),
  }),
]
