import { CONCERN_CODES, type Concern, WEIGHTS } from '../../contract/concerns.ts'
import type { ConcernFacts, FailureCount } from './facts.ts'
import { failureConcerns, failuresOfDay, withFailures } from './failures.ts'
import { endpointConcerns, programConcerns, storageConcerns } from './program.ts'
import { offlineTogether, sendersConcerns, silenceConcerns } from './senders.ts'

/** Everything that needs the owner now, the most harmful first. Pure. */
export function findConcerns(facts: ConcernFacts): Concern[] {
  const ofRows = facts.unread ? [] : rowConcerns(facts)
  return [...storageConcerns(facts), ...ofRows, ...programConcerns(facts)].sort(byHarm)
}

/** Concerns found from the rows of the database. */
function rowConcerns(facts: ConcernFacts): Concern[] {
  const ofSenders = withFailures(sendersConcerns(facts), facts)
  return [
    ...offlineTogether(ofSenders),
    ...failureConcerns(facts, ofSenders),
    ...silenceConcerns(facts),
    ...facts.endpoints.flatMap(endpointConcerns),
    ...facts.others,
  ]
}

/** The failures of this day that no other concern explains. Pure. */
export const failuresToday = (facts: ConcernFacts): FailureCount => failuresOfDay(facts, sendersConcerns(facts))

/**
 * Nothing accepted first; then by weight; then by how many messages it holds, then by how many it
 * has failed, which is over; then by the order of the codes.
 */
function byHarm(a: Concern, b: Concern): number {
  return harm(a) - harm(b) || b.waiting - a.waiting || b.failed - a.failed || place(a) - place(b)
}

const place = ({ code }: Concern): number => CONCERN_CODES.indexOf(code)
const harm = ({ code, weight }: Concern): number => (code.startsWith('storage_') ? -1 : WEIGHTS.indexOf(weight))
