/** A message stanza as it reached the server. */
export interface JournalEntry {
  /** Milliseconds. */
  at: number
  /** The linked number that sent it, and which of its companion devices. */
  account: string
  device: number
  /** Counts the connections of all clients: two entries with the same number came over one connection. */
  link: number
  /** The recipient's phone number, whichever address was used. */
  to: string
  /** The address that was used: a phone number's or a LID's. */
  address: string
  id: string
  acked: boolean
  /** The error that the acknowledgement bore. */
  error?: string
  /** It reached the recipient's phone. */
  delivered: boolean
  /** The recipient had asked for it again with a retry receipt. */
  askedFor: boolean
}

/** Everything the server saw, in order and across connections. */
export function createJournal() {
  const messages: JournalEntry[] = []
  const queries = new Map<string, number>()
  let waiting: { count: number; resolve: () => void }[] = []

  return {
    messages,
    /** How often each kind of query was asked, e.g. `usync usync`, `encrypt key`. */
    queries,
    /** Kinds of queries that the peer does not know: a gap in it. */
    unanswered: [] as string[],
    add(entry: JournalEntry) {
      messages.push(entry)
      const met = waiting.filter(({ count }) => messages.length >= count)
      waiting = waiting.filter(({ count }) => messages.length < count)
      for (const { resolve } of met) resolve()
      return entry
    },
    countQuery: (kind: string) => queries.set(kind, (queries.get(kind) ?? 0) + 1),
    /** Resolves when that many messages have arrived since the beginning. */
    arrived: (count: number) =>
      new Promise<void>((resolve) => {
        if (messages.length >= count) resolve()
        else waiting.push({ count, resolve })
      }),
  }
}
export type Journal = ReturnType<typeof createJournal>
