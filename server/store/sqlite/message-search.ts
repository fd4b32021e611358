import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'

const BATCH = 500
// Phone numbers are searched by any part of four digits or more.
const SHORTEST_TAIL = 4

interface Unsearched {
  seq: number
  recipient: string
  body: string | null
  reference: string | null
  template: string | null
}

/** Every tail of a number is a word, so that a prefix search finds its middle as well. */
function tails(phone: string): string {
  const words: string[] = []
  for (let at = 0; at <= phone.length - SHORTEST_TAIL; at += 1) words.push(phone.slice(at))
  return words.join(' ')
}

/** The words of an owner's search. Every one must stand in a message, where the index knows it by its beginning. */
export function searchWords(text: string): string[] {
  // `+62 812-3456` is one number, not three.
  const joined = /^[+\d][\d\s().-]+$/.test(text) ? text.replace(/\D/g, '') : text
  return joined.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
}

/** Only the last word may be unfinished, as it is while somebody types: each more would make the index read much more. */
export const matching = (words: readonly string[]): string =>
  words.map((word, i) => (i === words.length - 1 ? `"${word}"*` : `"${word}"`)).join(' ')

export type MessageSearch = ReturnType<typeof createMessageSearch>

/** Splits messages into words some time after they were accepted; until then the list looks at them one by one. */
export function createMessageSearch(db: Db, write: Write) {
  const position = db.prepare<[], { value: string }>("SELECT value FROM settings WHERE name = 'searched_up_to'")
  const setPosition = db.prepare("INSERT OR REPLACE INTO settings (name, value) VALUES ('searched_up_to', ?)")
  const next = db.prepare<[number, number], Unsearched>(
    `SELECT seq, recipient, body, reference_id AS reference, template_name AS template FROM messages WHERE seq > ? ORDER BY seq LIMIT ?`,
  )
  const insert = db.prepare(
    'INSERT INTO messages_words (rowid, numbers, body, reference, template) VALUES (?, ?, ?, ?, ?)',
  )
  let upTo = Number(position.get()?.value ?? 0)

  return {
    upTo: (): number => upTo,
    /** Takes one batch; false when all is done. */
    async step(): Promise<boolean> {
      const last = await write(() => {
        const rows = next.all(upTo, BATCH)
        for (const row of rows) insert.run(row.seq, tails(row.recipient), row.body, row.reference, row.template)
        const newest = rows.at(-1)?.seq
        if (newest !== undefined) setPosition.run(String(newest))
        return newest === undefined ? null : { newest, more: rows.length === BATCH }
      })
      upTo = last?.newest ?? upTo
      return last?.more ?? false
    },
  }
}
