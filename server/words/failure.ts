import type { Failure, FailureCode, ProviderHint } from '../contract/failures.ts'
import { en } from './en/index.ts'

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
