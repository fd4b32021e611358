import { type Diagnostics, diagnostics } from '../../contract/operation.ts'
import { defineRoute, type Route } from '../route.ts'

export const diagnosticsRoutes = (read: () => Diagnostics): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/diagnostics',
    auth: 'owner',
    tag: 'Settings',
    summary: 'A file for whoever helps you: no secrets, numbers, names or texts',
    answer: diagnostics,
    handler: ({ res }) => {
      res.setHeader('content-disposition', 'attachment; filename="kurir-diagnostics.json"')
      return read()
    },
  }),
]
