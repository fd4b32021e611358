import type { ProviderError } from '../../../contract/errors.ts'
import type { SetupReason } from '../../../contract/official-senders.ts'
import { DAY } from '../../../lib/time.ts'
import { meaningOf } from './errors.ts'

/** Effects of a refusal by Meta beyond its message. */
interface RefusalEffects {
  /** Fault that the owner has to correct before anything works again. */
  setup: SetupReason | null
  /** Until when Meta takes no marketing message to this person (131049). */
  marketingHold: number | null
  /** This person asked Meta for an end of marketing messages (131050). */
  optedOut: boolean
}

const SETUP: { [hint: string]: SetupReason } = {
  new_token: 'token_refused',
  permissions: 'missing_permissions',
  wrong_ids: 'wrong_ids',
  not_registered: 'not_registered',
}

/**
 * By Meta's code. A limit for one person is counted by Meta over a day that it does not name: 24
 * hours are enough. Pure.
 */
export function refusalEffects(error: ProviderError, now: number): RefusalEffects {
  const { hint } = meaningOf(error)
  return {
    setup: SETUP[hint] ?? null,
    marketingHold: hint === 'marketing_cap' ? now + DAY : null,
    optedOut: hint === 'opted_out',
  }
}
