import { type ApiError, passes } from '../../contract/errors.ts'
import type { DropProblem, DropReason } from './contract.ts'

/** The place that a file goes to. A refused one may have a row already. */
export type Verdict =
  | { to: 'sent'; id: string; refusedRows: string[] }
  | { to: 'failed'; id: string | null; reason: DropReason; lines: string[] }

export const sent = (id: string, refusedRows: string[] = []): Verdict => ({ to: 'sent', id, refusedRows })

/** @param lines sentences that are added to the text that says why */
export const refuse = (reason: DropReason, id: string | null = null, lines: string[] = []): Verdict => ({
  ...{ to: 'failed', id, reason, lines },
})

/** Nothing can be taken for a while: the folder waits as it is. */
export class Held extends Error {
  readonly problem: DropProblem

  constructor(problem: DropProblem) {
    super(problem)
    this.problem = problem
  }
}

/** Throws Held in the place of an error that passes by itself. */
export function waitFor(error: ApiError): void {
  if (error.code === 'sender_not_found') throw new Held('no_sender')
  if (passes(error)) throw new Held('full')
}
