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
import type { Write } from './group-commit.ts'
import { type MetaValues, selecting } from './sql.ts'

const senderWord = (senderId: number): string => `s${senderId}`

/** Fills the index of words, a full-text table of SQLite that holds no text of its own. */
export function createMessageSearch(db: Db, write: Write, meta: MetaValues): SearchStore {
  const next = selecting(db, UNSEARCHED)<[number, number]>('FROM messages WHERE seq > ? ORDER BY seq LIMIT ?')
  const insert = db.prepare<[Unsearched & { numbers: string; sender: string }]>(
    `INSERT INTO messages_words (rowid, sender, numbers, body, reference, template)
     VALUES (@seq, @sender, @numbers, @body, @reference, @template)`,
  )
  let upTo = Number(meta.get('searched_up_to') ?? 0)

  return {
    async step() {
      const last = await write(() => {
        const { rows, more } = stepOf(next.all(upTo, BATCH))
        for (const row of rows) insert.run({ ...row, numbers: tails(row.recipient), sender: senderWord(row.senderId) })
        const newest = rows.at(-1)?.seq
        if (newest !== undefined) meta.put('searched_up_to', String(newest))
        return newest === undefined ? null : { newest, more }
      })
      upTo = last?.newest ?? upTo
      return last?.more ?? false
    },
  }
}

/**
 * Returns the query of the index. Only the last word may be unfinished, as while somebody types,
 * because each further prefix makes the index read much more. With `senderId`, the index reads no
 * further than this sender's messages.
 */
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
