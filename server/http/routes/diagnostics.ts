import { diagnostics, logAnswer, logQuery } from '../../contract/diagnostics.ts'
import type { HealthContext } from '../../health/context.ts'
import { readDiagnostics, readLog } from '../../health/diagnostics.ts'
import { defineRoute, ok, type Route } from '../route.ts'

export const diagnosticsRoutes = (context: HealthContext): Route[] => [
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
]
