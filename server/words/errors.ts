import { ApiError, type ErrorDetail, type FieldError, MOST_DETAILS } from '../contract/errors.ts'
import type { Failure, FailureCode, ProviderHint } from '../contract/failures.ts'
import type { FieldProblem, ProblemValues } from '../contract/field-problems.ts'
import { en } from './en/index.ts'
import { fieldText } from './say.ts'

/** How many wrong fields are in the sentence for people. */
const MOST_IN_SENTENCE = 10

/** A wrong field, with its sentence. */
export const fieldProblem = (field: string, code: FieldProblem, values?: ProblemValues): FieldError => ({
  field,
  code,
  message: fieldText(en, code, values),
  ...(values === undefined ? {} : { values }),
})

export const duplicateReference = (id: string): ApiError =>
  new ApiError('duplicate_reference', `A message with this reference_id was accepted before: ${id}.`, {
    message_id: id,
  })

export const duplicateContent = (id: string): ApiError =>
  new ApiError('duplicate_content', `The same message to this number was accepted a moment ago: ${id}.`, {
    message_id: id,
  })

/** A file_id that this key never got, or whose file is not kept any more. */
export const fileGone = (): ApiError => invalidRequest([fieldProblem('file_id', 'no_such_file')])

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
    `It is not known whether Meta took this message. Do not send it again: its status comes by callback, and is shown at /messages/${id}.`,
    { message_id: id },
  )

/** Refuses a folder whose drive does not answer. */
export function refuseSilent(): never {
  throw invalidRequest([fieldProblem('folder', 'folder_silent')])
}

/** The error of a folder that the owner chose, in words where there are some. */
export function folderProblem(error: unknown): unknown {
  const { code = '' } = error as NodeJS.ErrnoException
  if (!/^(E[A-Z]+|UNKNOWN)$/.test(code)) return error
  if (code === 'ENOSPC' || code === 'EDQUOT') return invalidRequest([fieldProblem('folder', 'folder_full')])
  const isClosed = code === 'EACCES' || code === 'EPERM' || code === 'EROFS'
  return invalidRequest([fieldProblem('folder', isClosed ? 'folder_not_writable' : 'no_such_folder')])
}

/** 400 that names every wrong field. */
export function invalidRequest(details: ErrorDetail[]): ApiError {
  const named = details.slice(0, MOST_IN_SENTENCE).map(({ field, message }) => `${field}: ${message}`)
  const more = details.length > named.length ? [`and ${details.length - named.length} more`] : []
  return new ApiError('invalid_request', `Please correct: ${[...named, ...more].join('; ')}`, {
    details: details.slice(0, MOST_DETAILS),
  })
}

interface MoreExact {
  message?: string | undefined
  hint?: string | undefined
  providerCode?: string | undefined
  /** Hint about a refusal by Meta, with its own sentence. */
  hintCode?: ProviderHint | undefined
}

/** A failure in English, as it is kept; `message` and `hint` may be made more exact. */
export function describeFailure(code: FailureCode, more: MoreExact = {}): Failure {
  const { message, hint } = en.failures[code]
  const { hintCode } = more
  return {
    code,
    message: more.message ?? message,
    ...(more.providerCode === undefined ? {} : { provider_code: more.providerCode }),
    ...(hintCode === undefined ? {} : { hint_code: hintCode }),
    hint: more.hint ?? (hintCode === undefined ? hint : en.hints[hintCode]),
  }
}
