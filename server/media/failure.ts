import type { FailureCode } from '../contract/failures.ts'

export type MediaFailureCode = Extract<FailureCode, `media_${string}`>

/**
 * Why a file could not be fetched; the message names its host. `hint` is set only where the code's
 * usual hint is too vague.
 */
export class MediaFailure extends Error {
  readonly code: MediaFailureCode
  readonly hint: string | undefined
  /** True where another try may succeed. */
  readonly passing: boolean

  constructor(
    code: MediaFailureCode,
    message: string,
    more: { hint?: string; passing?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause })
    this.name = 'MediaFailure'
    this.code = code
    this.hint = more.hint
    this.passing = more.passing ?? false
  }
}
