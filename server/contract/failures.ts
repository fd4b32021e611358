import { z } from 'zod'

/** Reasons why a message failed. The names are stable; their texts are in `server/words/`. */
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

/** Hints about a refusal by Meta or a failed check. Stable; their texts are in `server/words/`. */
const PROVIDER_HINTS = [
  // Access
  'new_token',
  'token_expires',
  'permissions',
  'wrong_app_secret',
  'wrong_ids',
  // Limits
  'limit_calls',
  'limit_number',
  'limit_recipient',
  'limit_flow',
  // Meta
  'meta_unwell',
  'meta_unclear',
  'unreachable',
  'unknown',
  // The request
  'wrong_request',
  'unexplained',
  'own_number',
  'test_recipient',
  'message_type',
  'recipient_id_not_allowed',
  'undeliverable',
  'identity_changed',
  'message_expired',
  'media',
  // The template
  'parameter_count',
  'parameter_form',
  'parameter_text',
  'header_image',
  'header_video',
  'header_document',
  'header_location',
  'text_too_long',
  'template_missing',
  'template_policy',
  'template_quality',
  'template_category',
  'flow_blocked',
  'no_template',
  // Recipients and permissions
  'opted_out',
  'marketing_cap',
  'marketing_off',
  'marketing_api',
  'experiment',
  'window',
  'country',
  'direct_send',
  // The number and the account
  'account_blocked',
  'spam',
  'display_name',
  'payment',
  'payments_terms',
  'not_registered',
  'registration',
  'pin_wrong',
  'pin_locked',
  'register_later',
  'verify_again',
  'deregister_first',
  'number_blocked',
  'number_quality',
  'name_declined',
  // Callbacks
  'no_public_address',
  'tunnel',
  'callback_elsewhere',
  'no_status_yet',
  'check_again',
] as const

export type ProviderHint = (typeof PROVIDER_HINTS)[number]

/** A plain string in the API description: sixty names at every error would bury the rest. */
export const providerHint = z
  .custom<ProviderHint>((name) => PROVIDER_HINTS.some((one) => one === name))
  .meta({ type: 'string' })

export const failure = z.object({
  code: failureCode,
  message: z.string(),
  provider_code: z.string().optional(),
  hint_code: providerHint
    .optional()
    .describe('Code of the advice in `hint`, if Meta refused the message; clients can translate it.'),
  hint: z.string(),
})
export type Failure = z.infer<typeof failure>

/** Failures that another try would only repeat. */
const POINTLESS: ReadonlySet<string> = new Set([
  'recipient_not_on_whatsapp',
  'recipient_opted_out',
  'sender_deleted',
  'media_too_large',
  'template_not_sendable',
] satisfies FailureCode[])

/** True if the customer may have received the failed message. Only the owner sends it again. */
export const mayHaveArrived = (code: FailureCode): boolean => code === 'not_acknowledged' || code === 'outcome_unknown'

export const worthSendingAgain = (code: FailureCode): boolean => !POINTLESS.has(code)
