import { z } from 'zod'
import { providerHint } from './provider-hints.ts'

/** Why a message failed. Stable; the words are in `server/words/`. */
export const FAILURE_CODES = [
  'recipient_not_on_whatsapp',
  'account_restricted',
  'not_acknowledged',
  'expired',
  'refused_by_whatsapp',
  'send_failed',
  'recipient_opted_out',
  'not_in_group',
  'group_closed',
  'group_unknown',
  'sender_deleted',
  'media_unreachable',
  'media_too_large',
  'media_blocked',
  'media_invalid',
  'media_gone',
  'template_not_sendable',
  'provider_auth_failed',
  'provider_rate_limited',
  'provider_unavailable',
  'provider_rejected',
  'delivery_failed',
  'outcome_unknown',
  'no_final_status',
] as const
export const failureCode = z.enum(FAILURE_CODES)
export type FailureCode = z.infer<typeof failureCode>

export const failure = z.object({
  code: failureCode,
  message: z.string(),
  provider_code: z.string().optional(),
  hint_code: providerHint.optional().describe('Names the hint of a refusal by Meta, for translation.'),
  hint: z.string(),
})
export type Failure = z.infer<typeof failure>

/** Failures that would come again in the same way. */
const POINTLESS: ReadonlySet<string> = new Set([
  'recipient_not_on_whatsapp',
  'recipient_opted_out',
  'sender_deleted',
  'media_too_large',
  'template_not_sendable',
] satisfies FailureCode[])

/** True if the customer may have got it all the same: only the owner sends it again. */
export const mayHaveArrived = (code: FailureCode): boolean => code === 'not_acknowledged' || code === 'outcome_unknown'

/** True if the same message may get through when it is sent again. */
export const worthSendingAgain = (code: FailureCode): boolean => !POINTLESS.has(code)
