/** Facts about a linked account beside its sender's row; its schema is that of the connection. */
export interface LinkedFactsStore {
  get(senderId: number): Promise<unknown>
  /** Resolves when it is on disk. */
  save(senderId: number, facts: object): Promise<void>
}
