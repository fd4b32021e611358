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
    summary: 'Create a diagnostic report',
    description:
      'Versions, states, counts, settings and the newest log lines, without secrets, phone numbers, names or message texts. The response is a JSON file to download.',
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
    description: 'The newest lines, or with `after` only the lines written since then.',
    query: logQuery,
    answer: logAnswer,
    handler: ({ query }) => ok('Log.', readLog(context, query.after)),
  }),
  defineRoute({
    method: 'GET',
    path: '/health',
    auth: 'none',
    tag: 'Operation',
    summary: 'Check whether Kurir can accept messages',
    description:
      "For monitoring: needs no key and contains no names or phone numbers. `concerns` counts what needs the owner's attention.",
    answer: health,
    otherAnswers: [{ status: 503, description: 'Kurir cannot accept messages; `reasons` says why.', schema: health }],
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
    summary: "Read the data of the window's first page",
    description:
      'Problems and notes for the owner, the figures of today and of the last 14 days, free disk space and the version.',
    answer: overview,
    handler: async () => ok('Overview.', await readOverview(context)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/overview/failures-seen',
    auth: 'owner',
    tag: 'Operation',
    summary: 'Mark the failures of today as seen',
    description:
      "Today's failed messages raise no alarm any more, until enough further messages fail. The list of messages still shows them.",
    answer: overview,
    handler: async () => {
      await markFailuresSeen(context)
      return ok('Seen.', await readOverview(context))
    },
  }),
]
