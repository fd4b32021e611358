import { defineRoute, list, type Route } from '../http/route.ts'
import type { RefusedCalls } from './calls.ts'
import { refusedCallsAnswer, refusedCallsQuery } from './contract.ts'

export const refusedCallRoutes = (refused: RefusedCalls): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/refused-calls',
    auth: 'owner',
    tag: 'Operation',
    summary: 'The last 1,000 calls of programs that were answered with an error',
    query: refusedCallsQuery,
    answer: refusedCallsAnswer,
    handler: async ({ query }) => {
      const before = query.cursor === undefined ? undefined : Number(query.cursor)
      const rows = await refused.list({ before, limit: query.limit })
      const page = list(rows, rows.length === query.limit ? (rows.at(-1)?.id ?? null) : null)
      return { ...page, not_kept: refused.notKept() }
    },
  }),
]
