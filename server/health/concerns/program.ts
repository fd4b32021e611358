import type { Concern, ConcernCode } from '../../contract/concerns.ts'
import { isoTimeOrNull } from '../../lib/clock.ts'
import { CLOCK_NEWS_FOR, LOW_DISK_BYTES } from '../thresholds.ts'
import { concern } from './concern.ts'
import type { ConcernFacts, EndpointFacts } from './facts.ts'

/** Concerns about storage, now or soon. Pure. */
export function storageConcerns({ storage, freeBytes }: ConcernFacts): Concern[] {
  if (storage !== null) return [concern(storage)]
  const isLow = freeBytes !== null && freeBytes < LOW_DISK_BYTES
  return isLow ? [concern('disk_nearly_full', { count: freeBytes, page: '/settings#log' })] : []
}

/** Concerns of the program as a whole. Pure. */
export function programConcerns(facts: ConcernFacts): Concern[] {
  const { now, clockWrongAt, graphVersionEndsAt, update } = facts
  const found: Concern[] = []
  const at = (section: string) => ({ page: `/settings#${section}` })
  if (clockWrongAt !== null && now - clockWrongAt < CLOCK_NEWS_FOR)
    found.push(concern('clock_off', { since: clockWrongAt }))
  if (graphVersionEndsAt != null)
    found.push(concern('graph_version_ends', { until: graphVersionEndsAt, ...at('about') }))
  if (facts.ownerPagesOpen) found.push(concern('owner_pages_open', at('network')))
  else if (facts.lanOpen) found.push(concern('lan_open', at('network')))
  if (update !== null) found.push(concern('update_available', { detail: update, ...at('about') }))
  if (facts.keptForEver) found.push(concern('retention_never', at('log')))
  return found
}

/** One receiver is one concern. */
export function endpointConcerns({
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
    concern(code, { id: `${code}/${id}`, webhook_id: String(id), host, count: count > 0 ? count : null, page })
  if (isGone) return [of('endpoint_gone', pending)]
  if (enabled && fails && pending > 0) return [{ ...of('endpoint_failing', pending), since: isoTimeOrNull(since) }]
  return enabled && dead > 0 ? [of('callbacks_dead', dead, '/webhooks?state=dead')] : []
}
