/** A message of a customer on its way to the endpoints that asked for it. */
export interface NewReply {
  senderId: number
  senderCode: string
  /** The one of WhatsApp or Meta, by which a repeated one is known. */
  providerMessageId: string | null
  at: number
  /** Sealed: nothing that a customer writes is readable in a file. */
  body: Buffer
  /** Nothing of it is kept after this. */
  expiresAt: number
}

/** What customers write is passed on and not kept. */
export interface ReplyStore {
  /** Whether any endpoint asks for the messages of this sender. Kept in memory. */
  isWanted(senderCode: string): boolean
  /** Writes the event with its deliveries, once for each message; resolves with the endpoints to wake. */
  add(reply: NewReply): Promise<number[]>
  /** Whether what this message asked for was done. */
  isHeard(senderId: number, providerMessageId: string): Promise<boolean>
  markHeard(senderId: number, providerMessageId: string, at: number): Promise<void>
  /** Whether this recipient wanted marketing messages again after `at`. */
  optedInAfter(senderId: number, recipient: string, at: number): Promise<boolean>
  markOptedIn(senderId: number, recipient: string, at: number): Promise<void>
  /** Undefined once it was delivered everywhere, or is too old. */
  body(eventSeq: number): Promise<Buffer | undefined>
  /** Removes what expired before `now` with its deliveries, at most `batch`; resolves with how many were removed. */
  expire(now: number, batch: number): Promise<number>
}
