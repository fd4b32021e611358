import { health } from '../../contract/health.ts'
import type { HealthContext } from '../../health/context.ts'
import { readHealth } from '../../health/health.ts'
import { defineRoute, Reply, type Route } from '../route.ts'

export const healthRoutes = (context: HealthContext): Route[] => [
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
]
