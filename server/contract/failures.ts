import { z } from 'zod'
import { PROVIDER_HINTS, type ProviderHint, providerHint } from './provider-hints.ts'

/**
 * Why a message failed: the code is stable, the words say what happened and what to do. The window
 * translates by code.
 */
export const FAILURES = {
  recipient_not_on_whatsapp: ['This number is not on WhatsApp.', 'Check the number with the customer.'],
  account_restricted: [
    'WhatsApp is limiting new chats from this number.',
    'Known customers still get messages. Wait until the limit ends before you write to new ones.',
  ],
  not_acknowledged: [
    'WhatsApp never confirmed this message.',
    'It may or may not have arrived. Check the chat on the phone before you send it again.',
  ],
  expired: [
    'The message waited longer than it was allowed to.',
    'Look why it waited: a sender that is not connected is the usual reason. Then send it again.',
  ],
  refused_by_whatsapp: ['WhatsApp refused this message.', 'Try again later; the code says why it was refused.'],
  send_failed: [
    'The message could not be prepared for sending.',
    'Look at the attempts of this message for the reason.',
  ],
  recipient_opted_out: [
    'The customer does not want this kind of message.',
    'Write again only when the customer asks for it.',
  ],
  sender_deleted: ['The sender of this message was deleted.', 'Send it through another sender.'],
  media_unreachable: ['The file could not be downloaded.', 'Open its address in a browser on this PC to check it.'],
  media_too_large: [
    'The file is too large for WhatsApp.',
    'Images and audio may have 16 MB, videos 64 MB, other files 100 MB.',
  ],
  media_blocked: [
    'The file is on an address that Kurir may not open.',
    'If it is your own server, allow its address in Settings.',
  ],
  media_invalid: ['The address did not answer with a usable file.', 'Check the link: it must lead to the file itself.'],
  media_gone: [
    'The file that was sent along is no longer on this PC.',
    'Send the message again from your program, with its file. A backup holds no files.',
  ],
  template_not_sendable: ['The template cannot be sent like this.', 'Check its status, language and variables.'],
  provider_auth_failed: ['Meta refused the access token.', 'Enter a valid token for this sender.'],
  provider_rate_limited: [
    'Meta limits how fast this number may send.',
    'Send more slowly, or again after the time given.',
  ],
  provider_unavailable: ['Meta cannot be reached or has a problem.', 'Send again in a few minutes.'],
  provider_rejected: ['Meta refused this message.', 'The details say what is wrong with the request or the template.'],
  delivery_failed: ['WhatsApp could not deliver this message.', 'The details say why.'],
  outcome_unknown: [
    'Meta never answered, and no status came.',
    'It may or may not have arrived. Ask the customer before you send it again.',
  ],
  no_final_status: ['No final status came within 30 days.', 'The customer was probably never online.'],
} as const satisfies Record<string, readonly [message: string, hint: string]>

export type FailureCode = keyof typeof FAILURES
export const failureCode = z.enum(Object.keys(FAILURES) as [FailureCode, ...FailureCode[]])

export const failure = z.object({
  code: failureCode,
  message: z.string(),
  provider_code: z.string().optional(),
  hint_code: providerHint.optional().describe('Names the hint of a refusal by Meta, for translation.'),
  hint: z.string(),
})
export type Failure = z.infer<typeof failure>

interface MoreExact {
  message?: string | undefined
  hint?: string | undefined
  providerCode?: string | undefined
  /** Hint about a refusal by Meta, with its own sentence. */
  hintCode?: ProviderHint | undefined
}

/** A failure in the words of the table; `message` and `hint` may be made more exact. */
export function describeFailure(code: FailureCode, more: MoreExact = {}): Failure {
  const [message, hint] = FAILURES[code]
  const { hintCode } = more
  return {
    code,
    message: more.message ?? message,
    ...(more.providerCode === undefined ? {} : { provider_code: more.providerCode }),
    ...(hintCode === undefined ? {} : { hint_code: hintCode }),
    hint: more.hint ?? (hintCode === undefined ? hint : PROVIDER_HINTS[hintCode]),
  }
}

/** Failures that would come again in the same way. */
const POINTLESS: ReadonlySet<string> = new Set([
  'recipient_not_on_whatsapp',
  'recipient_opted_out',
  'sender_deleted',
  'media_too_large',
  'template_not_sendable',
] satisfies FailureCode[])

/**
 * True if the customer may have got it all the same: only the owner sends it again, message by
 * message.
 */
export const mayHaveArrived = (code: FailureCode): boolean => code === 'not_acknowledged' || code === 'outcome_unknown'

/** True if the same message may get through when it is sent again. */
export const worthSendingAgain = (code: FailureCode): boolean => !POINTLESS.has(code)
