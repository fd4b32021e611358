import { diagnostics, health, logAnswer, logQuery, overview } from '../contract/operation.ts'
import { defineRoute, ok, Reply, type Route } from '../http/route.ts'
import type { HealthContext } from './context.ts'
import { markFailuresSeen, readDiagnostics, readHealth, readLog, readOverview } from './reports.ts'

export const operationRoutes = (context: HealthContext): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/diagnostics',
    auth: 'owner',
    tag: 'Settings',
    summary: 'Write a report of faults',
    description: 'Versions, states, counts, settings and the newest log, without secrets, numbers, names and texts.',
    answer: diagnostics,
    handler: ({ res }) => {
      res.setHeader('content-disposition', 'attachment; filename="kurir-diagnostics.json"')
      return readDiagnostics(context)
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/log',
    auth: 'owner',
    tag: 'Settings',
    summary: 'Read the log',
    description: 'The last lines, or with `after` only those that came since.',
    query: logQuery,
    answer: logAnswer,
    handler: ({ query }) => ok('Log.', readLog(context, query.after)),
  }),
  defineRoute({
    method: 'GET',
    path: '/health',
    auth: 'none',
    tag: 'Operation',
    summary: 'Can Kurir accept messages?',
    description: 'For monitoring: no key, no name, no number. `concerns` counts what needs the owner.',
    answer: health,
    otherAnswers: [{ status: 503, description: 'Messages are not accepted; `reasons` says why.', schema: health }],
    handler: async () => {
      const report = await readHealth(context)
      return new Reply(report.success ? 200 : 503, report)
    },
  }),
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
