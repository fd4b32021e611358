import type { Concern, ConcernCode } from '../../contract/concerns.ts'
import { isoTimeOrNull } from '../../lib/clock.ts'
import { concern } from './concern.ts'
import type { EndpointFacts } from './facts.ts'

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
