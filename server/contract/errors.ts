import { z } from 'zod'
import { providerHint } from './provider-hints.ts'

/** Every error code that an answer of Kurir can carry, with its HTTP status. The one list; the documentation is made from it. */
export const ERROR_STATUS = {
  invalid_json: 400,
  invalid_request: 400,
  sender_code_required: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  sender_not_allowed: 403,
  owner_only: 403,
  host_not_allowed: 403,
  sender_not_found: 404,
  message_not_found: 404,
  not_found: 404,
  method_not_allowed: 405,
  idempotency_conflict: 409,
  duplicate_reference: 409,
  duplicate_content: 409,
  recipient_opted_out: 409,
  message_not_cancellable: 409,
  message_not_changeable: 409,
  message_not_revocable: 409,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  sender_kind_mismatch: 422,
  template_not_sendable: 422,
  provider_rejected: 422,
  wrong_passphrase: 422,
  backup_unreadable: 422,
  backup_newer: 422,
  rate_limited: 429,
  provider_rate_limited: 429,
  internal_error: 500,
  provider_unavailable: 502,
  provider_auth_failed: 502,
  provider_timeout: 504,
  queue_full: 503,
  shutting_down: 503,
  storage_unavailable: 503,
  storage_full: 507,
} as const

export type ErrorCode = keyof typeof ERROR_STATUS

export const errorDetail = z.object({ field: z.string(), message: z.string() })
export type ErrorDetail = z.infer<typeof errorDetail>

/** What Meta said, in its own words. `http_status` is the status of its answer. */
export const providerError = z.object({
  code: z.union([z.number(), z.string()]).nullable(),
  error_subcode: z.number().int().optional(),
  message: z.string(),
  title: z.string().optional(),
  details: z.string().optional(),
  is_transient: z.boolean().optional().describe('Whether Meta calls the fault a passing one.'),
  fbtrace_id: z.string().optional(),
  http_status: z.number().int().optional(),
})
export type ProviderError = z.infer<typeof providerError>

export const errorAnswer = z.object({
  success: z.literal(false),
  message: z.string().describe('One sentence for a person: what is wrong and what to do.'),
  error: z.object({
    code: z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]),
    details: z.array(errorDetail).optional(),
    retry_after: z.number().int().optional().describe('Seconds.'),
    provider: providerError.optional(),
    hint_code: providerHint.optional().describe('Names what to do about a refusal by Meta, for translation.'),
    message_id: z.string().optional(),
    incident: z.string().optional().describe('Look for this id in the log.'),
  }),
})
export type ErrorAnswer = z.infer<typeof errorAnswer>

export type ErrorExtras = Omit<ErrorAnswer['error'], 'code'>

/** An error that is meant for the caller: thrown anywhere below a route, answered as it is. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly extras: ErrorExtras

  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}) {
    super(message)
    this.code = code
    this.extras = extras
  }

  get status(): number {
    return ERROR_STATUS[this.code]
  }

  toAnswer(): ErrorAnswer {
    return { success: false, message: this.message, error: { code: this.code, ...this.extras } }
  }
}

export const duplicateReference = (id: string): ApiError =>
  new ApiError('duplicate_reference', `A message with this reference_id was accepted before: ${id}.`, {
    message_id: id,
  })

export const duplicateContent = (id: string): ApiError =>
  new ApiError('duplicate_content', `The same message to this number was accepted a moment ago: ${id}.`, {
    message_id: id,
  })

/** A file_id that this key never got, or whose file is not kept any more. */
export const fileGone = (): ApiError =>
  invalidRequest([{ field: 'file_id', message: 'names no file of this key: send it to /files first' }])

export const recipientOptedOut = (scope: 'marketing' | 'all'): ApiError =>
  new ApiError(
    'recipient_opted_out',
    scope === 'all'
      ? 'This customer wants no messages. Nothing was accepted; the list is at /suppressions.'
      : 'This customer wants no advertising. Nothing was accepted; the list is at /suppressions.',
  )

/** The answer for a caller when it is not known whether Meta has the message. */
export const unknownOutcome = (id: string): ApiError =>
  new ApiError(
    'provider_timeout',
    `It is not known whether Meta took this message. Do not send it again: its status comes by callback, and stands at /messages/${id}.`,
    { message_id: id },
  )

/** 400 that names every wrong field. */
export const invalidRequest = (details: ErrorDetail[]): ApiError =>
  new ApiError('invalid_request', `Please correct: ${details.map((d) => `${d.field}: ${d.message}`).join('; ')}`, {
    details,
  })
