import type { MessageRow } from '../../../server/contract/messages.ts'
import type { SenderView } from '../../../server/contract/senders.ts'
import type { WebhookView } from '../../../server/contract/webhooks.ts'

const AT = '2026-11-21T08:00:00.000Z'

export const messageRow = (more: Partial<MessageRow> = {}): MessageRow => ({
  id: '1',
  message_id: '1',
  channel: 'standard',
  sender_code: 'SND-1',
  recipient: '6281234567890',
  status: 'queued',
  reference_id: null,
  metadata: {},
  provider_message_id: null,
  occurred_at: AT,
  error: null,
  created_at: AT,
  due_at: AT,
  attempts: 0,
  message: 'halo',
  file: null,
  template: null,
  pricing_category: null,
  held_by: null,
  until: null,
  ...more,
})

export const senderView = (more: Partial<SenderView> = {}): SenderView => ({
  sender_code: 'SND-1',
  name: 'Toko Melati',
  kind: 'linked',
  state: 'connected',
  phone: null,
  reason: null,
  since: AT,
  account_name: null,
  linking: null,
  qr: null,
  pairing_code: null,
  expires_at: null,
  paused: false,
  pacing: { min_seconds: 2, max_seconds: 5 },
  daily_cap: null,
  quiet_hours: null,
  country_code: null,
  waiting: 0,
  next_send_at: null,
  held_by: null,
  sent_today: 0,
  last_sent_at: null,
  first_contacts_wait_until: null,
  official: null,
  created_at: AT,
  ...more,
})

export const webhookView = (more: Partial<WebhookView> = {}): WebhookView => ({
  id: '1',
  url: 'http://127.0.0.1:8000/kurir',
  events: ['message.sent', 'webhook.test'],
  sender_codes: null,
  enabled: true,
  disabled_reason: null,
  pending: 0,
  dead: 0,
  last_delivered_at: null,
  last_error: null,
  created_at: AT,
  ...more,
})
