export interface DailyCount {
  /** Local, such as `2026-11-21`. */
  day: string
  status: string
  count: number
}

/** How many messages reached a status on each day: counting events would read them all. */
export interface DailyCountStore {
  since(day: string): Promise<DailyCount[]>
}
