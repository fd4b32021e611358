import type { HeldBy } from '../../../server/contract/messages.ts'
import type { SenderKind, SenderState } from '../../../server/contract/senders.ts'
import { statuses } from '../../../server/words/en/messages.ts'

/** States of messages and senders, and reasons to wait. */
export const states = {
  message: statuses,
  sender: {
    unlinked: 'Not linked',
    linking: 'Waiting for the phone',
    connecting: 'Connecting',
    connected: 'Connected',
    offline: 'No connection',
    logged_out: 'Logged out',
    replaced: 'Used elsewhere',
    restricted: 'Blocked by WhatsApp',
    paused: 'Paused',
  } satisfies Record<SenderState, string>,
  /** Replaces "connected" while the sender has an alarm. */
  troubled: 'Needs attention',
  senderHint: {
    unlinked: 'No phone is linked to this sender yet.',
    linking: 'The code is shown; the phone has not scanned it yet.',
    connecting: 'Kurir is connecting to WhatsApp.',
    connected: 'Ready to send.',
    offline: 'There is no connection to WhatsApp. Kurir keeps trying by itself.',
    logged_out: 'This number was unlinked on the phone. Link it again; waiting messages leave then.',
    replaced: 'Another program took over this number’s connection.',
    restricted:
      'WhatsApp refuses this number. Open WhatsApp on the phone: it says why and what you can do. Do not link it again before it works there.',
    paused: 'This sender is paused. Messages wait until you resume it.',
  } satisfies Record<SenderState, string>,
  kind: { linked: 'Linked number', official: 'Official number', sandbox: 'Sandbox' } satisfies Record<
    SenderKind,
    string
  >,
  /** Reasons why one message waits. */
  messageHeld: {
    cancelling: 'About to be cancelled',
    moving: 'About to be moved to another sender',
    delay: 'Waits for its own time',
    paused: 'Its sender is paused',
    not_connected: 'Waits for the connection of its sender',
    suspended: 'This PC was asleep; Kurir is waking up',
    first_contacts: 'WhatsApp takes no new chats from this number just now',
    other_phone: 'Another number was linked: confirm it at the sender',
    wrong_numbers: 'Too many numbers in a row are not on WhatsApp',
    new_link: 'This number was linked only minutes ago and is still reading its chats',
    retry: 'Is tried again',
    quiet_hours: 'Quiet hours of its sender',
    daily_cap: 'The daily limit of its sender is reached',
    pacing: 'Pause between messages',
    queue: 'In line',
  } satisfies Record<HeldBy, string>,
  heldUntil: '{{why}}: {{when}}',
  queueEnds: 'The last one leaves about {{when}}',
  heldBy: {
    pacing: 'Pause between messages: next one {{when}}',
    quiet_hours: 'Quiet hours until {{when}}',
    daily_cap: 'Daily limit reached, continues {{when}}',
    paused: 'Paused',
    not_connected: 'Waiting for the connection',
    other_phone: 'Waiting until you confirm the new number',
    wrong_numbers: 'Too many wrong numbers: first messages continue {{when}}',
    new_link: 'Linked only minutes ago, still reading its chats: first messages continue {{when}}',
  },
}
