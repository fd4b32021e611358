import type { WebhookView } from '../../server/contract/webhooks.ts'

export type EndpointHealth = 'gone' | 'failing' | 'idle' | 'well' | 'off'

const FIRST: EndpointHealth[] = ['gone', 'failing', 'idle', 'well', 'off']

export function endpointHealth({ enabled, disabled_reason, dead, last_error, last_delivered_at }: WebhookView) {
  if (!enabled) return disabled_reason === 'gone' ? 'gone' : 'off'
  if (dead > 0 || last_error !== null) return 'failing'
  return last_delivered_at === null ? 'idle' : 'well'
}

/** Those that need attention come first. */
export const worstFirst = (endpoints: WebhookView[]): WebhookView[] =>
  endpoints.toSorted((a, b) => FIRST.indexOf(endpointHealth(a)) - FIRST.indexOf(endpointHealth(b)))

/** An address without its protocol, which says little and takes room. */
export const shortUrl = (url: string): string => url.replace(/^https?:\/\//, '')

/** True if a button helps it at once. */
export const needsRecovery = ({ enabled, dead }: WebhookView): boolean => !enabled || dead > 0
