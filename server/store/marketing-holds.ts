/** People to whom Meta takes no marketing message for a time (its code 131049). */
export interface MarketingHoldStore {
  /**
   * Until when, milliseconds since 1970; `null`: Meta said nothing of this person, or its time is
   * over.
   */
  until(senderId: number, recipient: string, now: number): Promise<number | null>
  /** Removes those whose time is over. */
  expire(now: number): Promise<void>
}
