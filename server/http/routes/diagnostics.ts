import { type Diagnostics, diagnostics } from '../../contract/diagnostics.ts'
import { defineRoute, type Route } from '../route.ts'

export const diagnosticsRoutes = (read: () => Promise<Diagnostics>): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/diagnostics',
    auth: 'owner',
    tag: 'Settings',
    summary: 'A file for those who help you: no secrets, numbers, names or texts',
    answer: diagnostics,
    handler: ({ res }) => {
      res.setHeader('content-disposition', 'attachment; filename="kurir-diagnostics.json"')
      return read()
    },
  }),
]
