import type { BinaryNode } from 'baileys'
import { createMessageKeys } from './message-keys.ts'

/** A message stanza at its arrival at the server. */
export interface JournalEntry {
  /** Milliseconds since 1970. */
  at: number
  /** Linked number of the sender; `device` is its companion device. */
  account: string
  device: number
  /** Number of the connection, counted over all clients. */
  link: number
  /** Recipient's phone number, whichever address was used. */
  to: string
  /** Address in the stanza: by phone number or by LID. */
  address: string
  id: string
  acked: boolean
  error?: string
  /** True if the recipient's phone got the message. */
  delivered: boolean
  /** True if the recipient had asked for the message with a retry receipt. */
  askedFor: boolean
  /** True if there was no chat with the recipient before. */
  newChat: boolean
  /** Kind of token with which the message showed the recipient's trust. */
  token: 'tctoken' | 'cstoken' | undefined
}

/** A login, successful or not. */
export interface Login {
  at: number
  account: string
  device: number
  build: number
  /** `success`, or the reason of the failure. */
  outcome: string
}

/** A query whether numbers are on WhatsApp, or for LIDs and devices. */
export interface LookUp {
  at: number
  account: string
  context: string
  protocols: string[]
  users: string[]
}

/** A receipt of a recipient's phone for a sender. */
export interface Told {
  id: string
  /** Phone number of the recipient. */
  by: string
  what: 'delivered' | 'read'
}

interface Awaited<T> {
  fits(entries: readonly T[]): boolean
  resolve(): void
}

/** Creates a log with promises for entries that are still to come. */
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

/** Creates a journal of everything the server sees, in order and across connections. */
export function createJournal() {
  const messages = createLog<JournalEntry>()
  const logins = createLog<Login>()
  const lookUps = createLog<LookUp>()
  const queries = new Map<string, number>()
  const stanzas: BinaryNode[] = []
  const journal = {
    messages: messages.entries,
    messageKeys: createMessageKeys(),
    /** Start of every connection in milliseconds since 1970, with or without a login. */
    connections: [] as number[],
    logins: logins.entries,
    lookUps: lookUps.entries,
    /** Number of queries by kind, e.g. `usync usync`, `encrypt key`. */
    queries,
    /** Kinds of queries that the peer does not implement. */
    unanswered: [] as string[],
    /** `presence` stanzas that make the owner appear online and silence the phone. */
    online: [] as BinaryNode[],
    /** Receipts of phones for messages that they got. */
    told: [] as Told[],
    /** Acknowledgements of stanzas that were acknowledged before or never sent. */
    needless: [] as BinaryNode[],
    /** Answers to retry receipts that no reference client would write. */
    oddAnswers: [] as BinaryNode[],
    /** All stanzas of linked clients while `recording` is true. */
    stanzas,
    recording: false,
    /** Number of connections and stanzas; while it grows, a client is active. */
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
    /** Resolves when this number of messages has arrived in total. */
    arrived: (count: number) => messages.until(({ length }) => length >= count),
    /** Resolves when there have been this many logins in total, successful or not. */
    loggedIn: (count: number) => logins.until(({ length }) => length >= count),
  }
  return journal
}
export type Journal = ReturnType<typeof createJournal>
