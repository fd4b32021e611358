import type { SearchStore } from '../search.ts'
import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'
import type { SqliteMeta } from './meta.ts'
import { type Columns, integer, selecting, text, textOrNull } from './sql.ts'

const BATCH = 500
// Phone numbers are searched by any part of four digits or more.
const SHORTEST_TAIL = 4

interface Unsearched {
  seq: number
  senderId: number
  recipient: string
  body: string | null
  reference: string | null
  template: string | null
}

const UNSEARCHED: Columns<Unsearched> = {
  seq: integer('seq'),
  senderId: integer('sender_id'),
  recipient: text('recipient'),
  body: textOrNull('body'),
  reference: textOrNull('reference_id'),
  template: textOrNull('template_name'),
}

/** Every tail of a number is a word, so that a prefix search finds its middle as well. */
function tails(phone: string): string {
  const words: string[] = []
  for (let at = 0; at <= phone.length - SHORTEST_TAIL; at += 1) words.push(phone.slice(at))
  return words.join(' ')
}

/** A number with the 0 of its own country, which is in the log with a country code instead. */
const NATIONAL = /^0([1-9]\d{7,})$/

/** What of a word is in a message letter by letter: of a national number the part without its 0. */
export const lettersOf = (word: string): string => NATIONAL.exec(word)?.[1] ?? word

/** The words of an owner's search. A message must have every one of them; the index knows each by its beginning. */
export function searchWords(given: string): string[] {
  // `+62 812-3456` is one number, not three.
  const joined = /^[+\d][\d\s().-]+$/.test(given) ? given.replace(/\D/g, '') : given
  return joined.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
}

const senderWord = (senderId: number): string => `s${senderId}`

/**
 * What the index is asked. Only the last word may be unfinished, as it is while somebody types: each more would make it
 * read much more. Of one sender it reads no further than that sender's messages.
 */
export function matching(words: readonly string[], senderId: number | undefined): string {
  const given = words.map((word, i) => {
    const columns = isPartOfNumber(word) ? 'numbers body reference template' : 'body reference template'
    return `{${columns}} : ${anyOf(word, i === words.length - 1 ? '*' : '')}`
  })
  return [...(senderId === undefined ? [] : [`sender : "${senderWord(senderId)}"`]), ...given].join(' AND ')
}

/** A shorter one is in nearly every number: "INV-2" would find all invoices of customers with a 2 in theirs. */
export const isPartOfNumber = (word: string): boolean => word.length >= SHORTEST_TAIL

/** A national number is looked for as it was typed too: it may be a reference. */
function anyOf(word: string, unfinished: '*' | ''): string {
  const forms = [...new Set([word, lettersOf(word)])].map((form) => `"${form}"${unfinished}`)
  return `(${forms.join(' OR ')})`
}

export interface SqliteSearch extends SearchStore {
  /** `seq` of the newest message in the index; the list looks at later ones letter by letter. */
  upTo(): number
}

export function createMessageSearch(db: Db, write: Write, meta: Pick<SqliteMeta, 'read' | 'put'>): SqliteSearch {
  const next = selecting(db, UNSEARCHED)<[number, number]>('FROM messages WHERE seq > ? ORDER BY seq LIMIT ?')
  const insert = db.prepare<[Unsearched & { numbers: string; sender: string }]>(
    `INSERT INTO messages_words (rowid, sender, numbers, body, reference, template)
     VALUES (@seq, @sender, @numbers, @body, @reference, @template)`,
  )
  let upTo = Number(meta.read('searched_up_to') ?? 0)

  return {
    upTo: () => upTo,
    async step() {
      const last = await write((tx) => {
        const rows = next.all(upTo, BATCH)
        for (const row of rows) insert.run({ ...row, numbers: tails(row.recipient), sender: senderWord(row.senderId) })
        const newest = rows.at(-1)?.seq
        if (newest !== undefined) meta.put(tx, 'searched_up_to', String(newest))
        return newest === undefined ? null : { newest, more: rows.length === BATCH }
      })
      upTo = last?.newest ?? upTo
      return last?.more ?? false
    },
  }
}
