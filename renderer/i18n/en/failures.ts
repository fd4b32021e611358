import { FAILURES, type FailureCode } from '../../../server/contract/failures.ts'

/** Why a message failed and what to do, by code: the sentences of the contract. */
export const failures = Object.fromEntries(
  Object.entries(FAILURES).map(([code, [message, hint]]) => [code, { message, hint }]),
) as Record<FailureCode, { message: string; hint: string }>
