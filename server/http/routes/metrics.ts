import type { Registry } from 'prom-client'
import { keyOf } from '../../access/keys.ts'
import { ApiError } from '../../contract/errors.ts'
import { ANSWERED, defineRoute, type Route } from '../route.ts'

export const metricsRoutes = (registry: Registry): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/metrics',
    auth: 'key_or_owner',
    forReaders: true,
    tag: 'Operation',
    summary: 'Metrics for Prometheus',
    description: 'In its text format. For Global keys, also those that may only read, and the owner.',
    // It names every sender, webhook and queue.
    admit: (caller) => {
      if (keyOf(caller)?.kind === 'device')
        throw new ApiError('sender_not_allowed', 'A device key reads no metrics. Use a global key.')
    },
    answer: 'text/plain',
    handler: async ({ res }) => {
      const text = await registry.metrics()
      res.writeHead(200, { 'content-type': registry.contentType }).end(text)
      return ANSWERED
    },
  }),
]
