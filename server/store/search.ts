/**
 * Fills the search index some time after messages were accepted: no word is split while a caller
 * waits.
 */
export interface SearchStore {
  /** Takes one batch; false when all is done. */
  step(): Promise<boolean>
}
