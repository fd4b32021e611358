import type { SearchStore } from '../search.ts'
import type { Db, Remember, Tx, Write } from './engine.ts'
import type { MetaStatements } from './meta.ts'
import { type Columns, integer, type SqlValue, selecting, text, textOrNull } from './sql.ts'

// Of one step, which must not keep others waiting: rows, and characters of their texts. Of words
// that no other text has these take a hundredth of a second.
const BATCH = 200
const STEP_LENGTH = 16 * 1024
/** Searched characters of a text. */
export const SEARCHED_LENGTH = 4096
// Phone numbers are searched by any part of four digits or more.
const SHORTEST_TAIL = 4

/** The searched part of a message. */
export interface Unsearched {
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
  body: textOrNull(`substr(body, 1, ${SEARCHED_LENGTH})`),
  reference: textOrNull('reference_id'),
  template: textOrNull('template_name'),
}

/** Every tail of a number is a word, so that a prefix search finds its middle as well. */
export function tails(phone: string): string {
  const words: string[] = []
  for (let at = 0; at <= phone.length - SHORTEST_TAIL; at += 1) words.push(phone.slice(at))
  return words.join(' ')
}

/** A number with the 0 of its own country, which is in the log with a country code instead. */
const NATIONAL = /^0([1-9]\d{7,})$/

/**
 * The part of a word that is in a message letter by letter: of a national number the part without
 * its 0.
 */
export const lettersOf = (word: string): string => NATIONAL.exec(word)?.[1] ?? word

/**
 * The words of an owner's search. A message must have every one of them; the index knows each by
 * its beginning.
 */
export function searchWords(given: string): string[] {
  // `+62 812-3456` is one number, not three.
  const joined = /^[+\d][\d\s().-]+$/.test(given) ? given.replace(/\D/g, '') : given
  return joined.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
}

/**
 * The forms in which a word is looked for: a national number as it was typed too, because it may be
 * a reference.
 */
export const formsOf = (word: string): string[] => [...new Set([word, lettersOf(word)])]

/**
 * A shorter one is in nearly every number: "INV-2" would find all invoices of customers with a 2 in
 * theirs.
 */
export const isPartOfNumber = (word: string): boolean => word.length >= SHORTEST_TAIL

/** The index of words, which each engine has in its own form. */
export interface WordIndex {
  /** Adds messages. */
  add(tx: Tx, rows: readonly Unsearched[]): void
  /** Messages that are not in the index yet, looked for after this one. */
  next: string
  /**
   * The rows of a search, newest first, by their `w.rowid`: FROM and conditions, which take what is
   * asked.
   */
  found: { from: string; where: string[] }
  /**
   * The same among the newest rows before one, which are looked through one by one: takes that one,
   * and what is asked. A word that many messages have is there fifty times, so that no list of all
   * of them is needed. Null: `found` needs none.
   */
  newest: { from: string; where: string[] } | null
  /**
   * Builds the query. Only the last word may be unfinished, as it is while somebody types: each
   * more would make the index read much more. Of one sender it reads no further than that sender's
   * messages.
   */
  query(words: readonly string[], senderId: number | undefined): SqlValue
}

export interface MessageSearch extends SearchStore, Pick<WordIndex, 'found' | 'newest' | 'query'> {
  /** `seq` of the newest message in the index; the list looks at later ones letter by letter. */
  upTo(): number
}

export function createMessageSearch(
  db: Db,
  write: Write,
  remember: Remember,
  meta: MetaStatements,
  index: WordIndex,
): MessageSearch {
  const next = selecting(db, UNSEARCHED)<[number, number]>(index.next)
  let upTo = 0
  remember(['meta'], () => {
    upTo = Number(meta.read('searched_up_to') ?? 0)
  })

  /** The rows of one step, at least one where there is one. */
  function nextRows(): { rows: Unsearched[]; more: boolean } {
    const rows: Unsearched[] = []
    let length = 0
    for (const row of next.iterate(upTo, BATCH)) {
      rows.push(row)
      length += row.body?.length ?? 0
      if (length >= STEP_LENGTH) return { rows, more: true }
    }
    return { rows, more: rows.length === BATCH }
  }

  return {
    ...index,
    upTo: () => upTo,
    async step() {
      const last = await write((tx) => {
        const { rows, more } = nextRows()
        index.add(tx, rows)
        const newest = rows.at(-1)?.seq
        if (newest !== undefined) meta.put(tx, 'searched_up_to', String(newest))
        return newest === undefined ? null : { newest, more }
      })
      upTo = last?.newest ?? upTo
      return last?.more ?? false
    },
  }
}
