import type { WebhookView } from '../../server/contract/webhooks.ts'
import { useSenders } from '../api/senders.ts'
import { type EndpointHealth, endpointHealth } from '../model/endpoint-health.ts'

/** Returns the health of an endpoint, given the present senders. */
export function useEndpointHealth(): (endpoint: WebhookView) => EndpointHealth {
  const senders = useSenders().data
  const codes = senders && new Set(senders.map(({ sender_code }) => sender_code))
  return (endpoint) => endpointHealth(endpoint, codes)
}
