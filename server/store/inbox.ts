/** A body of Meta's as it came. */
export interface InboxRow {
  seq: number
  /** Senders whose app secret signed it. */
  senderIds: number[]
  body: Buffer
  receivedAt: number
}

/** A status that came before its message id was known. */
export interface EarlyStatus {
  senderId: number
  providerMessageId: string
  status: string
  update: unknown
  receivedAt: number
}

/** What Meta called back with: stored first, applied afterwards. */
export interface InboxStore {
  /** False: these very bytes came before. */
  add(digest: Uint8Array, senderIds: readonly number[], body: Uint8Array, at: number): Promise<boolean>
  /** The oldest bodies that wait, at most `bytes` of them together (but always one). */
  waiting(bytes: number): Promise<InboxRow[]>
  applied(seqs: readonly number[], at: number): Promise<void>
  /** Keeps a status until its message id is known; false when it is known by now. */
  keepEarly(status: EarlyStatus): Promise<boolean>
  early(senderId: number, providerMessageId: string): Promise<EarlyStatus[]>
  /** Early statuses whose message is known by now: the program ended before they were applied. */
  ripe(): Promise<{ senderId: number; providerMessageId: string }[]>
  dropEarly(senderId: number, providerMessageId: string): Promise<void>
  expireEarly(before: number): Promise<void>
}
