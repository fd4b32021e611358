import type { StorageProblem } from '../../lib/storage-error.ts'
import type { MessageStore } from '../messages.ts'
import type { SenderStore } from '../senders.ts'
import type { Store } from '../store.ts'
import type { FileBytesStore } from '../uploads.ts'

/** Facts that a node tells about itself. */
export interface NodeFacts {
  /** Address at which other nodes reach this one; null: none. */
  url: string | null
  version: string
  startedAt: number
}

/**
 * A program that shares the database with others. Times are milliseconds since 1970, by the
 * database's clock.
 */
export interface NodeRow extends NodeFacts {
  name: string
  /** Id of this run of the program. A secret, because nodes prove with it who they are. */
  instance: string
  seenAt: number
  /** Milliseconds since the node was last heard of. */
  silentFor: number
  /** True if the node was heard of within the duration of a lease. */
  alive: boolean
  /** Number of senders that the node holds. */
  senders: number
  /** Number of leases that the node took over from lost nodes. */
  takenOver: number
  /** Number of the node's writes that were refused because the sender had moved on. */
  fenced: number
}

/**
 * Several nodes on one database. One node at a time holds a sender: only that node sends for it,
 * and writes its session keys. A lease lasts 15 s unless it is renewed. Each take-over raises the
 * epoch of the lease, and a node's write for a sender is refused if its epoch is not the newest.
 */
export interface NodeStore {
  readonly name: string
  readonly instance: string
  /** Bytes of files, which all nodes need. */
  readonly files: FileBytesStore
  /**
   * Changes that are refused unless this node holds the sender.
   * @throws StorageError `not_holder`
   */
  readonly fenced: { changeMessage: MessageStore['change']; changeSender: SenderStore['change'] }
  /**
   * Reports that this node runs, renews its leases, and takes free ones up to its share. Resolves
   * with the senders that this node holds afterwards.
   */
  renew(facts: NodeFacts): Promise<number[]>
  /**
   * True if this node holds a sender for at least some seconds more, by clocks that nobody sets
   * back. Read from memory.
   */
  holds(senderId: number): boolean
  /**
   * Returns the epoch of the lease of a sender that this node `holds`; otherwise null. If the epoch
   * changed, other nodes may have held the sender in between.
   */
  epochOf(senderId: number): number | null
  /** Number of senders that this node holds beyond its share among the living nodes. */
  surplus(): Promise<number>
  /** Gives a sender back, whose connection must be closed. */
  release(senderId: number): Promise<void>
  /** Resolves with the other node that holds a sender; undefined: there is none. */
  holderOf(senderId: number): Promise<{ url: string; instance: string } | undefined>
  list(): Promise<NodeRow[]>
  /** Removes a lost node from the list. The node is listed again when it starts. */
  forget(name: string): Promise<'forgotten' | 'alive' | 'unknown'>
  /** Removes this node from the list, and frees its leases at once. */
  leave(): Promise<void>
  /** Reads changes of other nodes at once instead of within a second. */
  refresh(): Promise<void>
  /** Calls `listener` with the tables that another node changed, after reading them into memory. */
  onChange(listener: (tables: readonly string[]) => void): void
  /**
   * Calls `listener` with the reason when the database takes no writes; with null when it takes
   * writes again.
   */
  onProblem(listener: (problem: StorageProblem | null) => void): void
  /** Sends a hint to the other nodes. Hints may get lost. */
  say(hint: string): void
  /** Calls `listener` with hints of other nodes; with null if hints may have been lost. */
  onHint(listener: (hint: string | null) => void): void
  /** Counts since this node started. Read from memory. */
  counts(): { leases: number; takenOver: number; fenced: number }
}

export interface SharedStore extends Store {
  nodes: NodeStore
}
