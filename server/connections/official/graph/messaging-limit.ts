import type { MessagingLimit, NumberFacts, OfficialFacts } from '../../../store/index.ts'

const THOUSAND = 1000

/**
 * Meta writes it as a tier (`TIER_250`, `TIER_2K`, `TIER_UNLIMITED`) or as a number, where -1 is no
 * limit. `null`: Meta named none, or in a form that is not known.
 */
export function readMessagingLimit(value: unknown): MessagingLimit | null {
  if (value === 'TIER_UNLIMITED' || Number(value) === -1) return 'unlimited'
  const [, digits, thousands] = /^(?:TIER_)?(\d{1,9})(K?)$/.exec(String(value)) ?? []
  const people = Number(digits) * (thousands === 'K' ? THOUSAND : 1)
  return people > 0 ? people : null
}

/**
 * The facts of a number after Meta named its limit; another one than before is remembered. Pure.
 */
export function withLimit(
  { limitChange }: OfficialFacts,
  { before, after, at }: { before: MessagingLimit | null; after: NumberFacts; at: number },
): { number: NumberFacts; limitChange: OfficialFacts['limitChange'] } {
  const { limit: to } = after
  const isChange = before !== null && to !== null && before !== to
  return { number: after, limitChange: isChange ? { at, from: before, to } : limitChange }
}
