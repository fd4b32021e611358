import type { Db } from '../statements/engine.ts'
import {
  formsOf,
  isPartOfNumber,
  searchWords,
  tails,
  type Unsearched,
  type WordIndex,
} from '../statements/message-search.ts'

// A word that is longer cannot be kept; nobody types one.
const LONGEST = 200
// Rows that are looked through one by one: a few milliseconds.
const LOOKED_THROUGH = 10_000
// Messages that arrive together are committed in any order: some that are older than the newest
// indexed one come late.
const LOOK_BACK = 1_000

/**
 * Without accents, in small letters: as SQLite's index does it. A character that is cut in two is
 * none.
 */
const plain = (word: string): string =>
  word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().slice(0, LONGEST).toWellFormed()

const lexeme = (word: string): string => `'${word.replace(/['\\]/g, '$&$&')}'`

// No word of a text begins so.
const senderWord = (senderId: number): string => lexeme(`@${senderId}`)
const inNumber = (digits: string): string => lexeme(`#${digits}`)

/** All words of a message, as the text of a vector. */
function vectorOf({ senderId, recipient, body, reference, template }: Unsearched): string {
  const words = new Set([body, reference, template].flatMap((text) => searchWords(text ?? '').map(plain)))
  const numbers = tails(recipient).split(' ').map(inNumber)
  return [senderWord(senderId), ...numbers, ...[...words].map(lexeme)].join(' ')
}

/**
 * Words as a text search vector. They are split here, not by the server, so that both engines find
 * the same.
 */
export function createWordIndex(db: Db): WordIndex {
  const insert = db.prepare<[string]>(
    `INSERT INTO messages_words (rowid, words)
     SELECT seq, words FROM json_to_recordset(?) AS message (seq BIGINT, words TSVECTOR)
     ON CONFLICT (rowid) DO UPDATE SET words = excluded.words`,
  )
  return {
    add(_tx, rows) {
      if (rows.length > 0) insert.run(JSON.stringify(rows.map((row) => ({ seq: row.seq, words: vectorOf(row) }))))
    },
    next: `FROM messages m WHERE m.seq > CAST(? AS BIGINT) - ${LOOK_BACK}
       AND NOT EXISTS (SELECT 1 FROM messages_words w WHERE w.rowid = m.seq) ORDER BY m.seq LIMIT ? /* only there */`,
    found: {
      from: `(SELECT h AS rowid FROM messages_having(CAST(? AS TSQUERY)) AS h ORDER BY h DESC OFFSET 0) AS w
         JOIN messages m ON m.seq = w.rowid`,
      where: [],
    },
    newest: {
      from: `(SELECT * FROM messages_words WHERE rowid < ? ORDER BY rowid DESC LIMIT ${LOOKED_THROUGH}) AS w
         JOIN messages m ON m.seq = w.rowid`,
      where: ['w.words @@ CAST(? AS TSQUERY)'],
    },
    query(words, senderId) {
      const given = words.map((word, i) => anyOf(word, i === words.length - 1 ? ':*' : ''))
      return [...(senderId === undefined ? [] : [senderWord(senderId)]), ...given].join(' & ')
    },
  }
}

function anyOf(word: string, unfinished: ':*' | ''): string {
  const forms = formsOf(word).map(plain)
  const all = [...forms.map(lexeme), ...(isPartOfNumber(word) ? forms.map(inNumber) : [])]
  return `(${all.map((each) => each + unfinished).join(' | ')})`
}
