/** What became of a message, by the code of contract/failures.ts: what happened, then what to do. */
export const failures = {
  recipient_not_on_whatsapp: { message: 'This number is not on WhatsApp.', hint: 'Check it with the customer.' },
  account_restricted: {
    message: 'WhatsApp is limiting new chats from this number.',
    hint: 'Known customers still get messages. Wait until the limit ends before you write to new ones.',
  },
  not_acknowledged: {
    message: 'WhatsApp never confirmed this message.',
    hint: 'It may or may not have arrived. Look at the chat on the phone before you send it again.',
  },
  expired: {
    message: 'The message waited 7 days for its sender to be connected.',
    hint: 'Link or reconnect the sender, then send it again.',
  },
  refused_by_whatsapp: {
    message: 'WhatsApp refused this message.',
    hint: 'Try again later; the code says why it was refused.',
  },
  send_failed: {
    message: 'The message could not be prepared for sending.',
    hint: 'The attempts below give the reason.',
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
  template_not_sendable: {
    message: 'The template cannot be sent like this.',
    hint: 'Check its status, language and variables.',
  },
  provider_auth_failed: { message: 'Meta refused the access token.', hint: 'Enter a valid token for this sender.' },
  provider_rate_limited: {
    message: 'Meta limits how fast this number may send.',
    hint: 'Send more slowly, or again after the time given.',
  },
  provider_unavailable: {
    message: 'Meta could not be reached or is unwell.',
    hint: 'Send again in a few minutes.',
  },
  provider_rejected: {
    message: 'Meta refused this message.',
    hint: 'The details say what is wrong with the request or the template.',
  },
  delivery_failed: { message: 'WhatsApp could not deliver this message.', hint: 'The details say why.' },
  outcome_unknown: {
    message: 'Meta never answered, and no status came.',
    hint: 'It may or may not have arrived. Ask the customer before you send it again.',
  },
  no_final_status: {
    message: 'No final status came within 30 days.',
    hint: 'The customer was probably never online.',
  },
}
