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
    summary: 'A file for those who help you: no secrets, numbers, names or texts',
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
    summary: 'The last lines of the log, and then those that came since',
    query: logQuery,
    answer: logAnswer,
    handler: ({ query }) => ok('Log.', readLog(query.after)),
  }),
]
