import type { Db } from '../statements/engine.ts'
import { formsOf, tails, type Unsearched, type WordIndex } from '../statements/message-search.ts'

/** Words in a full-text table of SQLite, which holds no text of its own. */
export function createWordIndex(db: Db): WordIndex {
  const insert = db.prepare<[Unsearched & { numbers: string }]>(
    `INSERT INTO messages_words (rowid, numbers, body, reference, template)
     VALUES (@seq, @numbers, @body, @reference, @template)`,
  )
  return {
    add: (_tx, row) => void insert.run({ ...row, numbers: tails(row.recipient) }),
    next: 'FROM messages WHERE seq > ? ORDER BY seq LIMIT ?',
    // CROSS JOIN fixes the order: the words' rows, newest first, each looked up once.
    from: 'messages_words w CROSS JOIN messages m ON m.seq = w.rowid',
    where: 'messages_words MATCH ?',
    order: 'w.rowid',
    // Each further unfinished word would make the index read much more.
    query: (words) => words.map((word, i) => anyOf(word, i === words.length - 1 ? '*' : '')).join(' AND '),
  }
}

function anyOf(word: string, unfinished: '*' | ''): string {
  const forms = formsOf(word).map((form) => `"${form}"${unfinished}`)
  return forms.length === 1 ? forms.join('') : `(${forms.join(' OR ')})`
}
