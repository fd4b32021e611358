/** A group that a linked number is in. */
export interface GroupRow {
  /** WhatsApp's id of it, `…@g.us`. */
  jid: string
  name: string
  members: number
  canSend: boolean
}

export interface GroupStore {
  /** By name. */
  list(senderId: number): Promise<GroupRow[]>
  /** Resolves when it is on disk: these are all groups of the sender from now on. */
  replace(senderId: number, groups: readonly GroupRow[]): Promise<void>
}
