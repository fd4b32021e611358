import type { Pricing } from '../contract/messages.ts'

export interface PricingCount {
  senderId: number
  pricing: Pricing
  count: number
}

/**
 * How many delivered messages Meta reported under which price, month by month: it outlives the
 * messages.
 */
export interface PricingCountStore {
  /** @param month local, such as `2026-11` */
  ofMonth(month: string): Promise<PricingCount[]>
  /** Newest first. */
  months(): Promise<string[]>
}
