import type { BinaryNode } from 'baileys'
import { createMessageKeys } from './message-keys.ts'

/** A message stanza as it reached the server. */
export interface JournalEntry {
  /** Milliseconds. */
  at: number
  /** The linked number that sent it, and which of its companion devices. */
  account: string
  device: number
  /**
   * Counts the connections of all clients: two entries with the same number came over one
   * connection.
   */
  link: number
  /** The recipient's phone number, whichever address was used. */
  to: string
  /** The address that was used: a phone number's or a LID's. */
  address: string
  id: string
  acked: boolean
  /** The error of the acknowledgement. */
  error?: string
  /** It reached the recipient's phone. */
  delivered: boolean
  /** The recipient had asked for it again with a retry receipt. */
  askedFor: boolean
  /** It opened a chat that was none before. */
  newChat: boolean
  /** The token for the recipient's trust that it showed. */
  token: 'tctoken' | 'cstoken' | undefined
}

/** Somebody connected, or tried to. */
export interface Login {
  at: number
  account: string
  device: number
  build: number
  /** `success`, or the reason of the failure. */
  outcome: string
}

/** A question whether numbers are on WhatsApp, or for their LIDs and devices. */
export interface LookUp {
  at: number
  account: string
  context: string
  protocols: string[]
  users: string[]
}

/** A phone's word for a sender that a message has come, or was read. */
export interface Told {
  id: string
  /** The phone number of whose phone it is. */
  by: string
  what: 'delivered' | 'read'
}

interface Awaited<T> {
  fits(entries: readonly T[]): boolean
  resolve(): void
}

/** Entries in order, and promises for what is still to come. */
function createLog<T>() {
  const entries: T[] = []
  let waiting: Awaited<T>[] = []
  return {
    entries,
    add(entry: T) {
      entries.push(entry)
      const met = waiting.filter(({ fits }) => fits(entries))
      waiting = waiting.filter((one) => !met.includes(one))
      for (const { resolve } of met) resolve()
    },
    until: (fits: Awaited<T>['fits']) =>
      new Promise<void>((resolve) => {
        if (fits(entries)) resolve()
        else waiting.push({ fits, resolve })
      }),
  }
}

/** Everything the server saw, in order and across connections. */
export function createJournal() {
  const messages = createLog<JournalEntry>()
  const logins = createLog<Login>()
  const lookUps = createLog<LookUp>()
  const queries = new Map<string, number>()
  const stanzas: BinaryNode[] = []
  const journal = {
    messages: messages.entries,
    messageKeys: createMessageKeys(),
    /** When connections began, in milliseconds, whether anybody logged in or not. */
    connections: [] as number[],
    logins: logins.entries,
    lookUps: lookUps.entries,
    /** How often each kind of query was asked, e.g. `usync usync`, `encrypt key`. */
    queries,
    /** Kinds of queries that the peer does not know: a gap in it. */
    unanswered: [] as string[],
    /** `presence` stanzas after which customers see the owner online and the phone stays silent. */
    online: [] as BinaryNode[],
    /** The word of phones on messages to them. */
    told: [] as Told[],
    /** Answers to what was answered before, or never came. */
    needless: [] as BinaryNode[],
    /** Answers to retry receipts as no reference client writes them. */
    oddAnswers: [] as BinaryNode[],
    /** All stanzas of linked clients, while `recording` is on. */
    stanzas,
    recording: false,
    /** Counts connections and stanzas: as long as it grows, somebody is at work. */
    activity: 0,
    add(entry: JournalEntry) {
      messages.add(entry)
      return entry
    },
    addLogin: logins.add,
    addLookUp: lookUps.add,
    addConnection(at: number) {
      journal.activity += 1
      journal.connections.push(at)
    },
    addStanza(node: BinaryNode) {
      journal.activity += 1
      if (journal.recording) stanzas.push(node)
    },
    countQuery: (kind: string) => queries.set(kind, (queries.get(kind) ?? 0) + 1),
    /** Resolves when that many messages have arrived since the beginning. */
    arrived: (count: number) => messages.until(({ length }) => length >= count),
    /** Resolves when somebody has tried to log in that often since the beginning. */
    loggedIn: (count: number) => logins.until(({ length }) => length >= count),
  }
  return journal
}
export type Journal = ReturnType<typeof createJournal>
