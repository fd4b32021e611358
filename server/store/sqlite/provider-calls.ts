import type { ProviderCall } from '../messages.ts'
import type { Db } from './database.ts'
import type { Tx } from './group-commit.ts'
import { integerOrNull, selecting, text, textOrNull } from './sql.ts'

interface Stored {
  request: string
  httpStatus: number | null
  answer: string | null
}

/** What Meta was asked and what it answered, word for word. */
export function createProviderCalls(db: Db) {
  const calls = selecting<Stored>(db, {
    request: text('request'),
    httpStatus: integerOrNull('http_status'),
    answer: textOrNull('answer'),
  })
  const select = calls<[number]>('FROM provider_calls WHERE message_seq = ?')
  const put = db.prepare('INSERT INTO provider_calls (message_seq, request) VALUES (?, ?)')
  const settle = db.prepare('UPDATE provider_calls SET http_status = ?, answer = ? WHERE message_seq = ?')
  return {
    get(messageSeq: number): ProviderCall | undefined {
      const row = select.get(messageSeq)
      if (row === undefined) return undefined
      const { request, httpStatus, answer } = row
      return { request: JSON.parse(request), httpStatus, answer: answer === null ? null : JSON.parse(answer) }
    },
    put: (_tx: Tx, messageSeq: number, request: unknown): void => void put.run(messageSeq, JSON.stringify(request)),
    settle: (_tx: Tx, messageSeq: number, httpStatus: number | null, answer: string): void =>
      void settle.run(httpStatus, answer, messageSeq),
  }
}
