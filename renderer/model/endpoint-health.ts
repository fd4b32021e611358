import type { WebhookView } from '../../server/contract/webhooks.ts'

export type EndpointHealth = 'gone' | 'failing' | 'senderless' | 'idle' | 'well' | 'off'

const FIRST: EndpointHealth[] = ['gone', 'failing', 'senderless', 'idle', 'well', 'off']

/** @param senders codes of all senders; undefined: not read yet */
export function endpointHealth(
  { enabled, disabled_reason, dead, last_error, last_delivered_at, sender_codes }: WebhookView,
  senders: ReadonlySet<string> | undefined,
): EndpointHealth {
  if (!enabled) return disabled_reason === 'gone' ? 'gone' : 'off'
  if (dead > 0 || last_error !== null) return 'failing'
  if (senders !== undefined && sender_codes?.every((code) => !senders.has(code))) return 'senderless'
  return last_delivered_at === null ? 'idle' : 'well'
}

/** Sorts the endpoints that need attention first. */
export const worstFirst = (
  endpoints: WebhookView[],
  healthOf: (endpoint: WebhookView) => EndpointHealth,
): WebhookView[] => endpoints.toSorted((a, b) => FIRST.indexOf(healthOf(a)) - FIRST.indexOf(healthOf(b)))

export const shortUrl = (url: string): string => url.replace(/^https?:\/\//, '')

/** True if the endpoint is off or has dead deliveries, for which there is a recover button. */
export const needsRecovery = ({ enabled, dead }: WebhookView): boolean => !enabled || dead > 0
