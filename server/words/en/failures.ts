import type { FailureCode } from '../../contract/failures.ts'

/** Why a message failed, and advice. */
export const failures = {
  recipient_not_on_whatsapp: {
    message: 'This number is not on WhatsApp.',
    hint: 'Check the number with the customer.',
  },
  account_restricted: {
    message: 'WhatsApp is limiting new chats from this number.',
    hint: 'Known customers still get messages. Wait until the limit ends before you write to new ones.',
  },
  not_acknowledged: {
    message: 'WhatsApp never confirmed this message.',
    hint: 'It may or may not have arrived. Check the chat on the phone before you send it again.',
  },
  expired: {
    message: 'The message waited longer than it was allowed to.',
    hint: 'Look why it waited: a sender that is not connected is the usual reason. Then send it again.',
  },
  refused_by_whatsapp: {
    message: 'WhatsApp refused this message.',
    hint: 'Try again later; the code says why it was refused.',
  },
  send_failed: {
    message: 'The message could not be prepared for sending.',
    hint: 'Look at the attempts of this message for the reason.',
  },
  recipient_opted_out: {
    message: 'The customer does not want this kind of message.',
    hint: 'Write again only when the customer asks for it.',
  },
  not_in_group: {
    message: 'This sender is not in the group.',
    hint: 'Somebody in the group adds its number on the phone; then send again.',
  },
  group_closed: {
    message: 'Only admins may write in this group, or it has more than 1,024 members.',
    hint: 'Make this sender an admin of the group on the phone, or let all members write.',
  },
  group_unknown: {
    message: 'WhatsApp knows no such group.',
    hint: 'Look up the id of the group at its sender; groups that were deleted are gone.',
  },
  sender_deleted: { message: 'The sender of this message was deleted.', hint: 'Send it through another sender.' },
  media_unreachable: {
    message: 'The file could not be downloaded.',
    hint: 'Open its address in a browser on this PC to check it.',
  },
  media_too_large: {
    message: 'The file is too large for WhatsApp.',
    hint: 'Images and audio may have 16 MB, videos 64 MB, other files 100 MB.',
  },
  media_blocked: {
    message: 'The file is on an address that Kurir may not open.',
    hint: 'If it is your own server, allow its address in Settings.',
  },
  media_invalid: {
    message: 'The address did not answer with a usable file.',
    hint: 'Check the link: it must lead to the file itself.',
  },
  media_gone: {
    message: 'The file that was sent along is no longer on this PC.',
    hint: 'Send the message again from your program, with its file.',
  },
  template_not_sendable: {
    message: 'The template cannot be sent like this.',
    hint: 'Check its status, language and variables.',
  },
  provider_auth_failed: { message: 'Meta refused the access token.', hint: 'Enter a valid token for this sender.' },
  provider_rate_limited: {
    message: 'Meta limits how fast this number may send.',
    hint: 'Send more slowly, or again after the time given.',
  },
  provider_unavailable: { message: 'Meta cannot be reached or has a problem.', hint: 'Send again in a few minutes.' },
  provider_rejected: {
    message: 'Meta refused this message.',
    hint: 'The details say what is wrong with the request or the template.',
  },
  delivery_failed: { message: 'WhatsApp could not deliver this message.', hint: 'The details say why.' },
  outcome_unknown: {
    message: 'Meta never answered, and no status came.',
    hint: 'It may or may not have arrived. Ask the customer before you send it again.',
  },
  no_final_status: { message: 'No final status came within 30 days.', hint: 'The customer was probably never online.' },
} as const satisfies Record<FailureCode, { message: string; hint: string }>

/** The same, short enough for a list within a sentence. */
export const reasons = {
  recipient_not_on_whatsapp: 'not on WhatsApp',
  account_restricted: 'WhatsApp limits new chats',
  not_acknowledged: 'never confirmed by WhatsApp',
  expired: 'waited too long',
  refused_by_whatsapp: 'refused by WhatsApp',
  send_failed: 'could not be prepared',
  recipient_opted_out: 'customer opted out',
  not_in_group: 'not in the group',
  group_closed: 'only admins write there',
  group_unknown: 'no such group',
  sender_deleted: 'sender deleted',
  media_unreachable: 'file could not be downloaded',
  media_too_large: 'file too large',
  media_blocked: 'file at an address that is not allowed',
  media_invalid: 'no usable file',
  media_gone: 'file no longer on this PC',
  template_not_sendable: 'template does not fit',
  provider_auth_failed: 'access refused by Meta',
  provider_rate_limited: 'too fast for Meta',
  provider_unavailable: 'Meta out of reach',
  provider_rejected: 'refused by Meta',
  delivery_failed: 'not delivered by WhatsApp',
  outcome_unknown: 'no answer from Meta',
  no_final_status: 'no status for 30 days',
} as const satisfies Record<FailureCode, string>
