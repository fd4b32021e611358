import { formsOf, isPartOfNumber, tails, type Unsearched } from '../search.ts'
import type { Db } from './database.ts'
import type { WordIndex } from './message-search.ts'

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
