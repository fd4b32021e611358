import { text } from '../columns.ts'
import {
  BATCH,
  formsOf,
  isPartOfNumber,
  type SearchStore,
  searchWords,
  stepOf,
  tails,
  UNSEARCHED,
  type Unsearched,
} from '../search.ts'
import type { Context } from './sql.ts'

// The index cannot store a much longer word, and nobody types one.
const LONGEST = 200
// Messages that arrive together are committed in any order, so a few older ones may appear after
// the newest indexed one.
const LOOK_BACK = 1_000

/**
 * Removes accents and capitals, as SQLite's index does. Replaces a character that the limit cuts in
 * two.
 */
const plain = (word: string): string =>
  word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().slice(0, LONGEST).toWellFormed()

const lexeme = (word: string): string => `'${word.replace(/['\\]/g, '$&$&')}'`

// No word of a text begins with @ or #.
const senderWord = (senderId: number): string => lexeme(`@${senderId}`)
const inNumber = (digits: string): string => lexeme(`#${digits}`)

/**
 * Returns all words of a message as the text of a tsvector. Kurir splits them, not the server, so
 * that both engines find the same.
 */
function vectorOf({ senderId, recipient, body, reference, template }: Unsearched): string {
  const words = new Set([body, reference, template].flatMap((each) => searchWords(each ?? '').map(plain)))
  const numbers = tails(recipient).split(' ').map(inNumber)
  return [senderWord(senderId), ...numbers, ...[...words].map(lexeme)].join(' ')
}

export function queryOf(words: readonly string[], senderId: number | undefined): string {
  const given = words.map((word, i) => anyOf(word, i === words.length - 1 ? ':*' : ''))
  return [...(senderId === undefined ? [] : [senderWord(senderId)]), ...given].join(' & ')
}

function anyOf(word: string, unfinished: ':*' | ''): string {
  const forms = formsOf(word).map(plain)
  const all = [...forms.map(lexeme), ...(isPartOfNumber(word) ? forms.map(inNumber) : [])]
  return `(${all.map((each) => each + unfinished).join(' | ')})`
}

export interface MessageSearch extends SearchStore {
  /**
   * Returns the `seq` of the newest message in the index. Lists search later messages letter by
   * letter.
   */
  upTo(): number
}

export function createSearch({ db, write, remember }: Context): MessageSearch {
  let upTo = 0
  remember(['meta'], async () => {
    const row = await db.one({ value: text('value') }, `FROM meta WHERE name = 'searched_up_to'`)
    upTo = Number(row?.value ?? 0)
  })
  return {
    upTo: () => upTo,
    async step() {
      const last = await write(async (tx) => {
        const found = await tx.rows(
          UNSEARCHED,
          `FROM messages WHERE seq > $1 AND NOT EXISTS (SELECT 1 FROM messages_words w WHERE w.rowid = messages.seq)
           ORDER BY seq LIMIT $2 FOR KEY SHARE`,
          [upTo - LOOK_BACK, BATCH],
        )
        const { rows, more } = stepOf(found)
        if (rows.length === 0) return null
        void tx.run(
          `INSERT INTO messages_words (rowid, words) SELECT seq, words::tsvector
           FROM unnest($1::bigint[], $2::text[]) AS message (seq, words)
           ON CONFLICT (rowid) DO UPDATE SET words = excluded.words`,
          [rows.map(({ seq }) => seq), rows.map(vectorOf)],
        )
        const newest = Math.max(upTo, ...rows.map(({ seq }) => seq))
        tx.changed('meta')
        void tx.run(
          `INSERT INTO meta (name, value) VALUES ('searched_up_to', $1)
           ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
          [String(newest)],
        )
        return { newest, more }
      })
      upTo = last?.newest ?? upTo
      return last?.more ?? false
    },
  }
}
