import type { EventName } from '../../contract/webhooks.ts'

/** Events of messages that every gateway's callbacks tell. */
export const MESSAGE_EVENTS: readonly EventName[] = [
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
  'message.cancelled',
  'message.received',
]

/** Events of the link of a sender. */
export const LINK_EVENTS: readonly EventName[] = ['sender.linked', 'sender.disconnected', 'sender.unlinked']
