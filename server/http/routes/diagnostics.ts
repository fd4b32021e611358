import { type Diagnostics, diagnostics, logAnswer, logQuery } from '../../contract/diagnostics.ts'
import type { LogPart } from '../../lib/logger.ts'
import { defineRoute, ok, type Route } from '../route.ts'

interface DiagnosticsRouteDeps {
  readDiagnostics: () => Promise<Diagnostics>
  readLog: (position?: string) => LogPart
}

export const diagnosticsRoutes = ({ readDiagnostics, readLog }: DiagnosticsRouteDeps): Route[] => [
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
      return readDiagnostics()
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
    handler: ({ query }) => ok('Log.', readLog(query.after)),
  }),
]
