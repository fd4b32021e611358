import { ApiError } from '../contract/errors.ts'
import { TooManyWaiting } from '../lib/turns.ts'
import { fieldProblem, invalidRequest } from '../words/errors.ts'
import { FileRefused } from './save.ts'

export const storageFull = (what: string): ApiError =>
  new ApiError('storage_full', `${what} Nothing was accepted; files that are sent make room.`, { retry_after: 60 })

/** Turns a fault into an error for the caller where it concerns one. */
export function uploadRefusal(error: unknown): unknown {
  if (error instanceof TooManyWaiting) {
    const message = 'Too many files are on their way from this key at once. Wait for some answers first.'
    return new ApiError('rate_limited', message, { retry_after: 1 })
  }
  if (error instanceof FileRefused) {
    if (error.reason === 'empty') return invalidRequest([fieldProblem('file', 'empty')])
    const what = error.kind === 'file' ? 'A file' : `A file of the kind ${error.kind}`
    return new ApiError('payload_too_large', `${what} may have ${error.cap / 1024 / 1024} MB. Nothing was accepted.`)
  }
  const code = (error as { code?: unknown } | null)?.code
  return code === 'ENOSPC' || code === 'EDQUOT' ? storageFull('The disk is full.') : error
}
