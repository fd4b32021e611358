import type { Registry } from 'prom-client'
import { ANSWERED, defineRoute, type Route } from '../route.ts'

export const metricsRoutes = (registry: Registry): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/metrics',
    auth: 'key_or_owner',
    tag: 'Operation',
    summary: 'Metrics for Prometheus',
    answer: 'text/plain',
    handler: async ({ res }) => {
      const text = await registry.metrics()
      res.writeHead(200, { 'content-type': registry.contentType }).end(text)
      return ANSWERED
    },
  }),
]
