import type { SuppressionScope, SuppressionSource } from '../contract/suppressions.ts'

export interface Suppression {
  phone: string
  /** Null: every sender. */
  senderId: number | null
  scope: SuppressionScope
  source: SuppressionSource
  at: number
}

export interface SuppressionRow extends Suppression {
  id: number
}

export interface SuppressionFilter {
  phone?: string | undefined
  /** Limits it to this sender's own and those for all. */
  senderId?: number | undefined
  /** Older than this id. */
  before?: number | undefined
  limit: number
}

/**
 * Opt-outs. A change and its event are one transaction; both resolve with the endpoints to wake.
 */
export interface SuppressionStore {
  /** Opt-out of a number at a sender; null: none. */
  scopeOf(senderId: number, phone: string): Promise<SuppressionScope | null>
  /** Newest first. */
  list(filter: SuppressionFilter): Promise<SuppressionRow[]>
  /**
   * Undefined where it stands there already, or (unless `mayNarrow`) where somebody wants nothing
   * at all.
   */
  put(
    suppression: Suppression,
    senderCode: string | null,
    mayNarrow?: boolean,
  ): Promise<{ endpoints: number[] } | undefined>
  /** Undefined where there is none; `by` and `at` are for the event. */
  remove(
    name: Pick<Suppression, 'phone' | 'senderId'>,
    by: Pick<Suppression, 'source' | 'at'>,
    senderCode: string | null,
  ): Promise<{ endpoints: number[] } | undefined>
}
