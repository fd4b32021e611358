import type { Db } from './database.ts'

export interface ProviderCall {
  request: unknown
  /** Null while no answer came. */
  httpStatus: number | null
  answer: unknown
}

export type ProviderCalls = ReturnType<typeof createProviderCalls>

/** What Meta was asked and what it answered, word for word. */
export function createProviderCalls(db: Db) {
  const select = db.prepare<[number], { request: string; httpStatus: number | null; answer: string | null }>(
    'SELECT request, http_status AS httpStatus, answer FROM provider_calls WHERE message_seq = ?',
  )
  const put = db.prepare('INSERT INTO provider_calls (message_seq, request) VALUES (?, ?)')
  const settle = db.prepare('UPDATE provider_calls SET http_status = ?, answer = ? WHERE message_seq = ?')
  return {
    get(messageSeq: number): ProviderCall | undefined {
      const row = select.get(messageSeq)
      if (row === undefined) return undefined
      const { request, httpStatus, answer } = row
      return { request: JSON.parse(request), httpStatus, answer: answer === null ? null : JSON.parse(answer) }
    },
    /** For use inside a transaction of the message. */
    put: (messageSeq: number, request: string): void => void put.run(messageSeq, request),
    settle: (messageSeq: number, httpStatus: number | null, answer: string | null): void =>
      void settle.run(httpStatus, answer, messageSeq),
  }
}
