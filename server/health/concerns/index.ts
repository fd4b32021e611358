import { CONCERN_CODES, type Concern, type ConcernCode, createConcern, WEIGHTS } from '../../contract/concerns.ts'
import { isoTimeOrNull } from '../../lib/clock.ts'
import { CLOCK_NEWS_FOR, LOW_DISK_BYTES } from '../thresholds.ts'
import type { ConcernFacts, EndpointFacts, FailureCount } from './facts.ts'
import { failureConcerns, failuresOfDay, withFailures } from './failures.ts'
import { offlineTogether, sendersConcerns, silenceConcerns } from './senders.ts'

/** Returns everything that needs the owner now, the most harmful first. Pure. */
export function findConcerns(facts: ConcernFacts): Concern[] {
  const ofRows = facts.unread ? [] : rowConcerns(facts)
  return [...storageConcerns(facts), ...ofRows, ...programConcerns(facts)].sort(byHarm)
}

/** Returns the concerns that follow from rows of the database. */
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

export const failuresToday = (facts: ConcernFacts): FailureCount => failuresOfDay(facts, sendersConcerns(facts))

/**
 * Orders concerns: storage trouble first, because nothing is accepted then; then by weight, by the
 * number of messages that wait, by the number that failed, and by the order of the codes.
 */
function byHarm(a: Concern, b: Concern): number {
  return harm(a) - harm(b) || b.waiting - a.waiting || b.failed - a.failed || place(a) - place(b)
}

const place = ({ code }: Concern): number => CONCERN_CODES.indexOf(code)
const harm = ({ code, weight }: Concern): number => (code.startsWith('storage_') ? -1 : WEIGHTS.indexOf(weight))

function storageConcerns({ storage, freeBytes }: ConcernFacts): Concern[] {
  if (storage !== null) return [createConcern(storage)]
  const isLow = freeBytes !== null && freeBytes < LOW_DISK_BYTES
  return isLow ? [createConcern('disk_nearly_full', { count: freeBytes, page: '/settings#log' })] : []
}

function programConcerns(facts: ConcernFacts): Concern[] {
  const { now, clockWrongAt, graphVersionEndsAt, update } = facts
  const found: Concern[] = []
  const at = (section: string) => ({ page: `/settings#${section}` })
  if (clockWrongAt !== null && now - clockWrongAt < CLOCK_NEWS_FOR)
    found.push(createConcern('clock_off', { since: clockWrongAt }))
  if (graphVersionEndsAt != null)
    found.push(createConcern('graph_version_ends', { until: graphVersionEndsAt, ...at('about') }))
  if (facts.ownerPagesOpen) found.push(createConcern('owner_pages_open', at('network')))
  else if (facts.lanOpen) found.push(createConcern('lan_open', at('network')))
  if (update !== null) found.push(createConcern('update_available', { detail: update, ...at('about') }))
  if (facts.keptForEver) found.push(createConcern('retention_never', at('log')))
  return found
}

/** Returns at most one concern for each receiver. */
function endpointConcerns({
  id,
  host,
  isGone,
  enabled,
  isFailing: fails,
  failingSince: since,
  pending,
  dead,
}: EndpointFacts): Concern[] {
  const of = (code: ConcernCode, count: number, page = `/webhooks?open=${id}`) =>
    createConcern(code, { id: `${code}/${id}`, webhook_id: String(id), host, count: count > 0 ? count : null, page })
  if (isGone) return [of('endpoint_gone', pending)]
  if (enabled && fails && pending > 0) return [{ ...of('endpoint_failing', pending), since: isoTimeOrNull(since) }]
  return enabled && dead > 0 ? [of('callbacks_dead', dead, '/webhooks?state=dead')] : []
}
