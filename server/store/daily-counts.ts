export interface DailyCount {
  /** Local, such as `2026-11-21`. */
  day: string
  /** `sent`, `delivered`, `read` or `failed`. */
  status: string
  count: number
}

/**
 * How many messages reached a status on each day, kept as they change: counting events would read
 * them all. A message that was read has been sent and delivered as well, whatever was reported; one
 * that failed is not among the sent.
 */
export interface DailyCountStore {
  since(day: string): Promise<DailyCount[]>
}
