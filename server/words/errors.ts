import { ApiError, type ErrorDetail, type FieldError, MOST_DETAILS } from '../contract/errors.ts'
import type { Failure, FailureCode, ProviderHint } from '../contract/failures.ts'
import type { FieldProblem, ProblemValues } from '../contract/field-problems.ts'
import { en } from './en/index.ts'
import { fieldText } from './say.ts'

const MOST_IN_SENTENCE = 10

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

/** Returns the error for a file_id that is another key's, unknown, or of a deleted file. */
export const fileGone = (): ApiError => invalidRequest([fieldProblem('file_id', 'no_such_file')])

export const recipientOptedOut = (scope: 'marketing' | 'all'): ApiError =>
  new ApiError(
    'recipient_opted_out',
    scope === 'all'
      ? 'This customer wants no messages. Nothing was accepted; the list is at /suppressions.'
      : 'This customer wants no advertising. Nothing was accepted; the list is at /suppressions.',
  )

/** Returns the error for a caller if it is unknown whether Meta has the message. */
export const unknownOutcome = (id: string): ApiError =>
  new ApiError(
    'provider_timeout',
    `It is not known whether Meta took this message. Do not send it again: its status comes by callback, and is shown at /messages/${id}.`,
    { message_id: id },
  )

/** Throws the error for a folder whose drive does not answer. @throws ApiError */
export function refuseSilent(): never {
  throw invalidRequest([fieldProblem('folder', 'folder_silent')])
}

/** Returns an ApiError for a system error of a folder that the owner chose; else the error. */
export function folderProblem(error: unknown): unknown {
  const { code = '' } = error as NodeJS.ErrnoException
  if (!/^(E[A-Z]+|UNKNOWN)$/.test(code)) return error
  if (code === 'ENOSPC' || code === 'EDQUOT') return invalidRequest([fieldProblem('folder', 'folder_full')])
  const isClosed = code === 'EACCES' || code === 'EPERM' || code === 'EROFS'
  return invalidRequest([fieldProblem('folder', isClosed ? 'folder_not_writable' : 'no_such_folder')])
}

/** Returns an error 400; its details name the wrong fields, at most MOST_DETAILS. */
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
  /** Code of a hint about a refusal by Meta; its sentence replaces the usual hint. */
  hintCode?: ProviderHint | undefined
}

/** Returns a failure as it is stored, in English. `more` replaces the usual message and hint. */
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
