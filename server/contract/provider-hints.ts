import { z } from 'zod'

/** Hints about a refusal by Meta or a failed check. Stable; the words are in `server/words/`. */
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

/** In the API description only a string: sixty names at every error would bury everything else. */
export const providerHint = z
  .custom<ProviderHint>((name) => PROVIDER_HINTS.some((one) => one === name))
  .meta({ type: 'string' })
