import { z } from 'zod'
import type { ProviderError } from '../../../contract/errors.ts'

// A number, in webhooks sometimes a string.
const code = z
  .union([z.number(), z.string().regex(/^\d+$/).transform(Number)])
  .nullable()
  .catch(null)
const subcode = z.number().int().optional().catch(undefined)
// Our own limit, so that texts from outside cannot bloat log lines and answers. Meta's sentences
// have a few hundred characters.
const LONGEST = 1000
const sentence = z
  .string()
  .min(1)
  .transform((value) => value.slice(0, LONGEST))
const text = sentence.optional().catch(undefined)
// Mostly an object, in some answers a string.
const errorData = z
  .union([sentence.transform((details) => ({ details })), z.object({ details: text })])
  .optional()
  .catch(undefined)

const metaError = z.object({
  code,
  error_subcode: subcode,
  message: text,
  title: text,
  error_user_title: text,
  error_user_msg: text,
  error_data: errorData,
  details: text,
  is_transient: z.boolean().optional().catch(undefined),
  fbtrace_id: text,
})

const errorAnswer = z.object({ error: metaError })

/** Returns the error of a Graph API answer; null if the body contains none. */
export function readGraphError(body: unknown, httpStatus: number): ProviderError | null {
  const parsed = errorAnswer.safeParse(body)
  return parsed.success ? { ...toProviderError(parsed.data.error), http_status: httpStatus } : null
}

/** Returns an error for an answer without an error of Meta, such as a gateway's HTML page. */
export function unreadableError(httpStatus: number): ProviderError {
  return { code: null, message: `HTTP ${httpStatus} without a readable error.`, http_status: httpStatus }
}

/** Returns the error of a `failed` status in a webhook. */
export function readStatusError(entry: unknown): ProviderError {
  const parsed = metaError.safeParse(entry)
  return parsed.success ? toProviderError(parsed.data) : { code: null, message: 'No reason was given.' }
}

/**
 * True if an id does not exist or the token may not see it. Meta may report this with the general
 * code 100.
 */
export const isUnknownId = ({ code, error_subcode }: ProviderError): boolean =>
  code === 33 || code === 803 || (code === 100 && error_subcode === 33)

/** Returns the field that this version of the Graph API does not have; null for other errors. */
export function nonexistingField({ code, message }: ProviderError): string | null {
  if (code !== 100) return null
  return /nonexisting field \((\w+)\)/.exec(message)?.[1] ?? null
}

function toProviderError(error: z.infer<typeof metaError>): ProviderError {
  const title = error.title ?? error.error_user_title
  const details = error.error_data?.details ?? error.details ?? error.error_user_msg
  return {
    code: error.code,
    ...(error.error_subcode === undefined ? {} : { error_subcode: error.error_subcode }),
    message: error.message ?? title ?? 'No reason was given.',
    ...(title === undefined ? {} : { title }),
    ...(details === undefined ? {} : { details }),
    ...(error.is_transient === undefined ? {} : { is_transient: error.is_transient }),
    ...(error.fbtrace_id === undefined ? {} : { fbtrace_id: error.fbtrace_id }),
  }
}
