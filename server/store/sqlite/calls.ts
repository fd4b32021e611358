import type { Db } from './database.ts'

export interface ProviderCall {
  request: unknown
  answer: unknown
}

export type ProviderCalls = ReturnType<typeof createProviderCalls>

/** What Meta was asked and what it answered, word for word. */
export function createProviderCalls(db: Db) {
  const select = db.prepare<[number], { request: string; answer: string | null }>(
    'SELECT request, answer FROM provider_calls WHERE message_seq = ?',
  )
  const put = db.prepare('INSERT OR REPLACE INTO provider_calls (message_seq, request) VALUES (?, ?)')
  const settle = db.prepare('UPDATE provider_calls SET http_status = ?, answer = ? WHERE message_seq = ?')
  return {
    get(messageSeq: number): ProviderCall | undefined {
      const row = select.get(messageSeq)
      if (row === undefined) return undefined
      return { request: JSON.parse(row.request), answer: row.answer === null ? null : JSON.parse(row.answer) }
    },
    /** For use inside a transaction of the message. */
    put: (messageSeq: number, request: string): void => void put.run(messageSeq, request),
    settle: (messageSeq: number, httpStatus: number | null, answer: string | null): void =>
      void settle.run(httpStatus, answer, messageSeq),
  }
}
