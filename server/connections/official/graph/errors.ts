import { ApiError, type ProviderError } from '../../../contract/errors.ts'
import type { Failure, ProviderHint } from '../../../contract/failures.ts'
import type { AccountReason, SetupReason } from '../../../contract/official-senders.ts'
import { DAY } from '../../../lib/clock.ts'
import { en } from '../../../words/en/index.ts'
import { describeFailure } from '../../../words/errors.ts'
import type { GraphOutcome } from './graph-client.ts'
import { isUnknownId } from './provider-error.ts'

export type RefusalCode =
  | 'provider_auth_failed'
  | 'provider_rate_limited'
  | 'provider_unavailable'
  | 'provider_rejected'

export interface Meaning {
  code: RefusalCode
  hint: ProviderHint
}

/** Meanings of Meta's error codes, for all answers, log entries and hints. */
const TABLE: readonly [code: RefusalCode, hint: ProviderHint, metaCodes: readonly number[]][] = [
  ['provider_auth_failed', 'new_token', [0, 102, 104, 190, 2500]],
  ['provider_auth_failed', 'permissions', [3, 10, ...range(200, 299), 131005]],

  ['provider_rate_limited', 'limit_calls', [4, 17, 32, 613, 80007, 80008]],
  ['provider_rate_limited', 'limit_number', [130429]],
  ['provider_rate_limited', 'limit_recipient', [131056]],
  ['provider_rate_limited', 'limit_flow', [132069]],

  ['provider_unavailable', 'meta_unwell', [2, 131000, 131016, 131057, 133004, 134101]],
  ['provider_unavailable', 'meta_unclear', [1]],

  ['provider_rejected', 'wrong_ids', [33, 803]],
  ['provider_rejected', 'wrong_request', [100, 131008, 131009]],
  ['provider_rejected', 'unexplained', [135000]],
  ['provider_rejected', 'tunnel', [2200, 2201]],
  ['provider_rejected', 'own_number', [131021]],
  ['provider_rejected', 'test_recipient', [131030]],
  ['provider_rejected', 'message_type', [131051]],
  ['provider_rejected', 'recipient_id_not_allowed', [131062]],
  ['provider_rejected', 'undeliverable', [131026]],
  ['provider_rejected', 'identity_changed', [137000]],
  ['provider_rejected', 'message_expired', [131043]],
  ['provider_rejected', 'media', [131014, 131052, 131053]],

  ['provider_rejected', 'parameter_count', [132000]],
  ['provider_rejected', 'parameter_form', [132008, 132012]],
  ['provider_rejected', 'parameter_text', [132018]],
  ['provider_rejected', 'text_too_long', [132005]],
  ['provider_rejected', 'template_missing', [132001]],
  ['provider_rejected', 'template_policy', [132007]],
  ['provider_rejected', 'template_quality', [132015, 132016]],
  ['provider_rejected', 'template_category', [131064]],
  ['provider_rejected', 'flow_blocked', [132068]],

  ['provider_rejected', 'opted_out', [131050]],
  ['provider_rejected', 'marketing_cap', [131049]],
  ['provider_rejected', 'marketing_off', [131063]],
  ['provider_rejected', 'marketing_api', [131055, 134100, 134102]],
  ['provider_rejected', 'experiment', [130472]],
  ['provider_rejected', 'window', [131047]],
  ['provider_rejected', 'country', [130497]],
  ['provider_rejected', 'direct_send', [139200]],

  ['provider_rejected', 'account_blocked', [368, 131031]],
  ['provider_rejected', 'spam', [131048]],
  ['provider_rejected', 'display_name', [131037]],
  ['provider_rejected', 'payment', [131042]],
  ['provider_rejected', 'payments_terms', [134011]],

  ['provider_rejected', 'not_registered', [131045, 133010]],
  ['provider_rejected', 'registration', [133007, ...range(133011, 133014)]],
  ['provider_rejected', 'pin_wrong', [133005]],
  ['provider_rejected', 'pin_locked', [133008, 133009]],
  ['provider_rejected', 'register_later', [133015, 133016]],
  ['provider_rejected', 'verify_again', [133006]],
  ['provider_rejected', 'deregister_first', [133000]],
]

export const MEANINGS = new Map(
  TABLE.flatMap(([code, hint, codes]) => codes.map((one) => [one, { code, hint }] as const)),
)

const WRONG_IDS: Meaning = { code: 'provider_rejected', hint: 'wrong_ids' }
const LIMIT: Meaning = { code: 'provider_rate_limited', hint: 'limit_calls' }
const UNWELL: Meaning = { code: 'provider_unavailable', hint: 'meta_unwell' }
const UNKNOWN: Meaning = { code: 'provider_rejected', hint: 'unknown' }

/** Hints by the header that Meta's error 132012 names, as in `expected IMAGE, received UNKNOWN`. */
const HEADER_HINTS: { [expected: string]: ProviderHint } = {
  IMAGE: 'header_image',
  VIDEO: 'header_video',
  DOCUMENT: 'header_document',
  LOCATION: 'header_location',
}

const OPENING: Record<RefusalCode, string> = {
  provider_auth_failed: 'Meta did not accept the access of this sender',
  provider_rate_limited: 'Meta limits how fast this number may send',
  provider_unavailable: 'Meta could not take the message',
  provider_rejected: 'Meta refused the message',
}

/**
 * Returns the meaning of Meta's code. If the code is unknown or missing, `is_transient` and the
 * HTTP status decide.
 */
export function meaningOf(error: ProviderError): Meaning {
  if (isUnknownId(error)) return WRONG_IDS
  const known = error.code === null ? undefined : MEANINGS.get(Number(error.code))
  if (known === undefined && error.http_status === 429) return LIMIT
  if (known === undefined) return error.is_transient || (error.http_status ?? 0) >= 500 ? UNWELL : UNKNOWN
  const hint = Number(error.code) === 132012 ? headerHint(error) : undefined
  return hint === undefined ? known : { code: known.code, hint }
}

function headerHint({ details, message }: ProviderError): ProviderHint | undefined {
  return HEADER_HINTS[/expected (\w+)/i.exec(details ?? message)?.[1]?.toUpperCase() ?? '']
}

/**
 * Returns the answer for a caller whose send Meta refused.
 * @param retryAfter seconds; only in the answer if the error is a rate limit
 */
export function refusalError(error: ProviderError, messageId: string, retryAfter: number): ApiError {
  const { code, hint } = meaningOf(error)
  return new ApiError(code, `${sentenceOf(OPENING[code], error)} ${en.hints[hint]}`, {
    provider: error,
    hint_code: hint,
    message_id: messageId,
    ...(code === 'provider_rate_limited' ? { retry_after: retryAfter } : {}),
  })
}

type Unanswered = Exclude<GraphOutcome<unknown>, { kind: 'answered' }>

/** Returns a sentence that says why a call failed, and a hint that says what to do. */
export function unansweredBecause(outcome: Unanswered): { message: string; hint: ProviderHint } {
  switch (outcome.kind) {
    case 'refused':
      return { message: sentenceOf('Meta refused', outcome.error), hint: meaningOf(outcome.error).hint }
    case 'not_sent':
      return { message: `Meta could not be reached (${outcome.reason}).`, hint: 'unreachable' }
    case 'unknown':
      return { message: `Meta did not answer (${outcome.reason}).`, hint: 'unreachable' }
  }
}

/** Returns the answer for an owner whose question Meta did not answer. */
export function callError(outcome: Unanswered): ApiError {
  const { message, hint } = unansweredBecause(outcome)
  const sentence = `${message} ${en.hints[hint]}`
  if (outcome.kind !== 'refused') {
    const code = outcome.kind === 'not_sent' ? 'provider_unavailable' : 'provider_timeout'
    return new ApiError(code, sentence, { hint_code: hint })
  }
  const { code } = meaningOf(outcome.error)
  return new ApiError(code, sentence, {
    provider: outcome.error,
    hint_code: hint,
    ...(code === 'provider_rate_limited' ? { retry_after: outcome.retryAfter ?? 60 } : {}),
  })
}

/** Returns the failure of a refused send, for the log and the `message.failed` callback. */
export function refusalFailure(error: ProviderError): Failure {
  const { code, hint } = meaningOf(error)
  return describeFailure(code, {
    message: sentenceOf(OPENING[code], error),
    hintCode: hint,
    providerCode: codeText(error),
  })
}

/**
 * Returns the failure of a message that Meta accepted but could not deliver.
 * @param errors all errors of the status; the first counts
 */
export function deliveryFailure(errors: readonly ProviderError[]): Failure {
  const error = errors[0]
  if (error === undefined) return describeFailure('delivery_failed')
  return describeFailure('delivery_failed', {
    message: sentenceOf('WhatsApp could not deliver this message', error),
    hintCode: meaningOf(error).hint,
    providerCode: codeText(error),
  })
}

function sentenceOf(opening: string, error: ProviderError): string {
  const reason = (error.details ?? error.title ?? error.message).replace(/(?<![.\s])[.\s]+$/, '')
  return error.code === null ? `${opening}: ${reason}.` : `${opening}: ${reason} (code ${error.code}).`
}

function codeText(error: ProviderError): string | undefined {
  return error.code === null ? undefined : String(error.code)
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

/** Effects of a refusal on more than the refused message. */
interface RefusalEffects {
  /** Fault that the owner must correct before the sender works again. */
  setup: SetupReason | null
  /** Reason that holds back all other messages of the account too. */
  account: AccountReason | null
  /** Time until which Meta accepts no marketing message to the recipient (131049). */
  marketingHold: number | null
  /** True if the recipient opted out of marketing messages (131050). */
  optedOut: boolean
}

const SETUP_REASONS: { [hint: string]: SetupReason } = {
  new_token: 'token_refused',
  permissions: 'missing_permissions',
  wrong_ids: 'wrong_ids',
  not_registered: 'not_registered',
}

const ACCOUNT_REASONS: { [hint: string]: AccountReason } = {
  account_blocked: 'account_locked',
  payment: 'account_unpaid',
  spam: 'account_reported',
  template_category: 'category_violation',
  display_name: 'name_unapproved',
}

/**
 * Returns the effects of a refusal, by Meta's code. Meta counts marketing messages to one person
 * per day but does not say when its day begins, so the hold lasts 24 hours.
 */
export function refusalEffects(error: ProviderError, now: number): RefusalEffects {
  const { hint } = meaningOf(error)
  return {
    setup: SETUP_REASONS[hint] ?? null,
    account: ACCOUNT_REASONS[hint] ?? null,
    marketingHold: hint === 'marketing_cap' ? now + DAY : null,
    optedOut: hint === 'opted_out',
  }
}
