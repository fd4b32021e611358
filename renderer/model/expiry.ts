export const EXPIRIES = ['never', 'days30', 'days90', 'days365', 'date'] as const
export type Expiry = (typeof EXPIRIES)[number]

const DAY = 86_400_000
const DAYS = { days30: 30, days90: 90, days365: 365 }

/**
 * Returns when a key of this choice ends, as ISO time. Null: never. '': no day is chosen yet.
 * @param lastDay day in the browser's time zone, such as `2027-01-31`; the key works until its end
 */
export function expiresAt(expiry: Expiry, lastDay: string, now: number): string | null {
  if (expiry === 'never') return null
  if (expiry !== 'date') return new Date(now + DAYS[expiry] * DAY).toISOString()
  const end = new Date(`${lastDay}T23:59:59`)
  return Number.isNaN(end.getTime()) ? '' : end.toISOString()
}
