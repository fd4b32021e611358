import type { SqlValue } from '../columns.ts'
import {
  BATCH,
  formsOf,
  isPartOfNumber,
  type SearchStore,
  stepOf,
  tails,
  UNSEARCHED,
  type Unsearched,
} from '../search.ts'
import type { Db } from './database.ts'
import type { Tx, Write } from './group-commit.ts'
import type { MetaStatements } from './meta.ts'
import { selecting } from './sql.ts'

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

/** The index, as a list needs it. */
export interface SearchedWords extends Pick<WordIndex, 'found' | 'newest' | 'query'> {
  /** `seq` of the newest message in the index; the list looks at later ones letter by letter. */
  upTo(): number
}

export function createMessageSearch(db: Db, write: Write, meta: MetaStatements, index: WordIndex): SearchStore {
  const next = selecting(db, UNSEARCHED)<[number, number]>(index.next)
  let upTo = Number(meta.read('searched_up_to') ?? 0)

  return {
    async step() {
      const last = await write((tx) => {
        const { rows, more } = stepOf(next.all(upTo, BATCH))
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

const senderWord = (senderId: number): string => `s${senderId}`

/** How a search asks the index. */
export const SEARCHED_WORDS: Pick<WordIndex, 'found' | 'newest' | 'query'> = {
  // CROSS JOIN fixes the order: the words' rows, newest first, each looked up once.
  found: {
    from: 'messages_words w CROSS JOIN messages m ON m.seq = w.rowid',
    where: ['messages_words MATCH ?'],
  },
  newest: null,
  query: matching,
}

/** Words in a full-text table of SQLite, which holds no text of its own. */
export function createWordIndex(db: Db): WordIndex {
  const insert = db.prepare<[Unsearched & { numbers: string; sender: string }]>(
    `INSERT INTO messages_words (rowid, sender, numbers, body, reference, template)
     VALUES (@seq, @sender, @numbers, @body, @reference, @template)`,
  )
  return {
    add(_tx, rows) {
      for (const row of rows) insert.run({ ...row, numbers: tails(row.recipient), sender: senderWord(row.senderId) })
    },
    next: 'FROM messages WHERE seq > ? ORDER BY seq LIMIT ?',
    ...SEARCHED_WORDS,
  }
}

/** Query of the index. */
export function matching(words: readonly string[], senderId: number | undefined): string {
  const given = words.map((word, i) => {
    const columns = isPartOfNumber(word) ? 'numbers body reference template' : 'body reference template'
    return `{${columns}} : ${anyOf(word, i === words.length - 1 ? '*' : '')}`
  })
  return [...(senderId === undefined ? [] : [`sender : "${senderWord(senderId)}"`]), ...given].join(' AND ')
}

function anyOf(word: string, unfinished: '*' | ''): string {
  const forms = formsOf(word).map((form) => `"${form}"${unfinished}`)
  return `(${forms.join(' OR ')})`
}
