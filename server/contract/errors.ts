import { z } from 'zod'
import { providerHint } from './failures.ts'
import { FIELD_PROBLEMS, problemValues } from './field-problems.ts'

/**
 * Every error code that an answer of Kurir can carry, with its HTTP status. The documentation is
 * generated from this list.
 */
export const ERROR_STATUS = {
  invalid_json: 400,
  invalid_request: 400,
  sender_code_required: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  sender_not_allowed: 403,
  key_reads_only: 403,
  owner_only: 403,
  host_not_allowed: 403,
  sender_not_found: 404,
  message_not_found: 404,
  group_unknown: 404,
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
  group_no_marketing: 422,
  template_not_sendable: 422,
  provider_rejected: 422,
  wrong_passphrase: 422,
  backup_unreadable: 422,
  backup_newer: 422,
  table_unreadable: 422,
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
export const ERROR_CODES = Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]

export const errorDetail = z.object({
  field: z
    .string()
    .describe(
      'Path of the invalid field in the request, such as `phone` or `components.0.type`. `body` means the whole request body.',
    ),
  code: z.enum(FIELD_PROBLEMS).describe('Machine-readable code of the problem. Codes do not change.'),
  message: z.string().describe('What is wrong with the field, in English. The wording may change.'),
  values: problemValues
    .optional()
    .describe('Values that belong to `code`, such as `max` (the limit) or `allowed` (the accepted values).'),
})

export type FieldError = z.infer<typeof errorDetail>

/** A wrong field as a check reports it. Without a code, only its sentence is known. */
export interface ErrorDetail extends Partial<FieldError> {
  field: string
  message: string
}

/** Most details in an answer. Further ones are left out: no caller corrects more at once. */
export const MOST_DETAILS = 50

/** An error in Meta's own words. `http_status`: the status of Meta's response. */
export const providerError = z.object({
  code: z.union([z.number(), z.string()]).nullable(),
  error_subcode: z.number().int().optional(),
  message: z.string(),
  title: z.string().optional(),
  details: z.string().optional(),
  is_transient: z.boolean().optional().describe('True if Meta says that the error is temporary.'),
  fbtrace_id: z.string().optional(),
  http_status: z.number().int().optional(),
})
export type ProviderError = z.infer<typeof providerError>

const errorExtras = z.object({
  retry_after: z.number().int().optional().describe('Seconds to wait before a retry, as in the header `Retry-After`.'),
  provider: providerError.optional(),
  hint_code: providerHint
    .optional()
    .describe('Code of the advice about an error from Meta, such as `new_token`; clients can translate it.'),
  message_id: z.string().optional(),
  incident: z.string().optional().describe('Identifier of this internal error. Search the log for it.'),
})

export const errorAnswer = z.object({
  success: z.literal(false),
  message: z
    .string()
    .describe(
      'What is wrong and what to do about it, as a sentence for people. The wording may change: decide by `error.code`.',
    ),
  error: z.object({
    code: z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]),
    details: z.array(errorDetail).optional(),
    ...errorExtras.shape,
  }),
})
export type ErrorAnswer = z.infer<typeof errorAnswer>

export type ErrorExtras = z.infer<typeof errorExtras> & { details?: ErrorDetail[] | undefined }

/** An error for the caller. Any code below a route may throw it; the route answers with it. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly extras: ErrorExtras

  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.extras = extras
  }

  get status(): number {
    return ERROR_STATUS[this.code]
  }

  toAnswer(): ErrorAnswer {
    const { details, ...extras } = this.extras
    const whole = details
      ?.slice(0, MOST_DETAILS)
      .map(({ code, ...each }) =>
        code === undefined ? { ...each, code: 'other' as const, values: { reason: each.message } } : { ...each, code },
      )
    return {
      success: false,
      message: this.message,
      error: { code: this.code, ...(whole === undefined ? {} : { details: whole }), ...extras },
    }
  }
}

const PASSING: readonly ErrorCode[] = ['queue_full', 'rate_limited', 'storage_full']

/** True if the same request may be accepted a little later. */
export const passes = ({ code }: ApiError): boolean => PASSING.includes(code)

/** Retention of the answer to an Idempotency-Key, in milliseconds. */
export const ANSWER_KEPT_FOR = 24 * 3_600_000

const KEPT = new Set([200, 422, 504])

/**
 * True if a repeated call gets an answer with this HTTP status again. After any other status
 * nothing was done, so the caller may try again with the same key.
 */
export const isKeptAnswer = (status: number): boolean => KEPT.has(status)
