import type { StorageProblem } from '../../lib/storage-error.ts'
import type { MessageStore } from '../messages.ts'
import type { SenderStore } from '../senders.ts'
import type { Store } from '../store.ts'
import type { FileBytesStore } from '../uploads.ts'

/** A node as it describes itself. */
export interface NodeFacts {
  /** Address at which other nodes reach it. */
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
  /** Names this start of the program. A secret: nodes prove by it who they are. */
  instance: string
  seenAt: number
  /** Milliseconds since it was heard of. */
  silentFor: number
  /** It was heard of within a lease's time. */
  alive: boolean
  /** Senders that it holds. */
  senders: number
  /** Leases that it took over from nodes that were gone. */
  takenOver: number
  /** Writes of its that were refused, because the sender had moved on. */
  fenced: number
}

/**
 * Several nodes on one database. A sender is held by one of them at a time: only that one sends for
 * it, and writes its session keys. A lease lasts 15 s unless it is renewed; each take-over raises
 * its epoch, and what a node writes for a sender is refused when its epoch is not the newest.
 */
export interface NodeStore {
  readonly name: string
  readonly instance: string
  /** The bytes of files, which all nodes need. */
  readonly files: FileBytesStore
  /** Refused unless this node holds the sender. @throws StorageError `not_holder` */
  readonly fenced: { changeMessage: MessageStore['change']; changeSender: SenderStore['change'] }
  /**
   * Says that this node lives, renews its leases, and takes free ones up to its share.
   * Resolves with the senders that it holds from now on.
   */
  renew(facts: NodeFacts): Promise<number[]>
  /**
   * True if this node holds a sender for at least some seconds more, by clocks that nobody sets
   * back. Kept in memory.
   */
  holds(senderId: number): boolean
  /**
   * The epoch of its lease of a sender that it `holds`; null: it does not. Another one: others may
   * have had it in between.
   */
  epochOf(senderId: number): number | null
  /** How many it holds beyond its share of the living nodes. */
  surplus(): Promise<number>
  /** Gives a sender back; its connection is closed. */
  release(senderId: number): Promise<void>
  /** The other node that holds a sender, and where it is reached; undefined: there is none. */
  holderOf(senderId: number): Promise<{ url: string; instance: string } | undefined>
  list(): Promise<NodeRow[]>
  /** Takes one that is gone out of the list. When it starts again, it is in it again. */
  forget(name: string): Promise<'forgotten' | 'alive' | 'unknown'>
  /** Leaves the list; leases are free at once. */
  leave(): Promise<void>
  /** Reads again at once what other nodes changed, instead of within a second. */
  refresh(): Promise<void>
  /** Hears which tables another node changed, after they were read again into memory. */
  onChange(listener: (tables: readonly string[]) => void): void
  /** Why the database takes no writes any more; null: it does again. */
  onProblem(listener: (problem: StorageProblem | null) => void): void
  /** Says something to the other nodes. It may get lost. */
  say(hint: string): void
  /** Hears hints of other nodes; null: some may have been lost. */
  onHint(listener: (hint: string | null) => void): void
  /** Since this node started. Kept in memory. */
  counts(): { leases: number; takenOver: number; fenced: number }
}

/** A store whose database several programs share. */
export interface SharedStore extends Store {
  nodes: NodeStore
}
