import { z } from 'zod'
import type { ProviderError } from '../../contract/errors.ts'

// Meta writes codes as numbers, in webhooks sometimes as strings.
const code = z
  .union([z.number(), z.string().regex(/^\d+$/).transform(Number)])
  .nullable()
  .catch(null)
const text = z.string().min(1).optional().catch(undefined)
// Mostly an object, in some answers a plain string.
const errorData = z
  .union([z.string().transform((details) => ({ details })), z.object({ details: text })])
  .optional()
  .catch(undefined)

const metaError = z.object({
  code,
  message: text,
  title: text,
  error_user_title: text,
  error_user_msg: text,
  error_data: errorData,
  details: text,
  fbtrace_id: text,
})

const errorAnswer = z.object({ error: metaError })

/** The error of a Graph API answer, or `null` when the body holds none. */
export function readGraphError(body: unknown, httpStatus: number): ProviderError | null {
  const parsed = errorAnswer.safeParse(body)
  return parsed.success ? { ...toProviderError(parsed.data.error), http_status: httpStatus } : null
}

/** Stands for an answer that holds no error in Meta's form, such as a gateway's HTML page. */
export function unreadableError(httpStatus: number): ProviderError {
  return { code: null, message: `HTTP ${httpStatus} without a readable error.`, http_status: httpStatus }
}

/** The error of a `failed` status in a webhook. */
export function readStatusError(entry: unknown): ProviderError {
  const parsed = metaError.safeParse(entry)
  return parsed.success ? toProviderError(parsed.data) : { code: null, message: 'No reason was given.' }
}

function toProviderError(error: z.infer<typeof metaError>): ProviderError {
  const title = error.title ?? error.error_user_title
  const details = error.error_data?.details ?? error.details ?? error.error_user_msg
  return {
    code: error.code,
    message: error.message ?? title ?? 'No reason was given.',
    ...(title === undefined ? {} : { title }),
    ...(details === undefined ? {} : { details }),
    ...(error.fbtrace_id === undefined ? {} : { fbtrace_id: error.fbtrace_id }),
  }
}
