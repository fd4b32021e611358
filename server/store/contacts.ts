export interface ContactRow {
  /** Null: WhatsApp said that this number has no account. */
  jid: string | null
  checkedAt: number
  /** A message of ours was acknowledged, or one of theirs came: no first contact any more. */
  known: boolean
}

/** What WhatsApp said about numbers, so that it is not asked before every message. */
export interface ContactStore {
  get(senderId: number, phone: string): Promise<ContactRow | undefined>
  save(senderId: number, phone: string, jid: string | null, at: number): Promise<void>
  markKnown(senderId: number, phone: string): Promise<void>
  /** All contacts of a sender. */
  forget(senderId: number): Promise<void>
}
