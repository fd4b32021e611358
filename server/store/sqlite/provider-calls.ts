import { PROVIDER_CALL } from '../message-columns.ts'
import type { ProviderCall } from '../messages.ts'
import type { Db } from './database.ts'
import type { Tx } from './group-commit.ts'
import { selecting } from './sql.ts'

/** The question to Meta and its answer, word for word. */
export function createProviderCalls(db: Db) {
  const select = selecting(db, PROVIDER_CALL)<[number]>('FROM provider_calls WHERE message_seq = ?')
  const put = db.prepare(
    'INSERT OR REPLACE INTO provider_calls (message_seq, request, http_status, answer) VALUES (?, ?, ?, ?)',
  )
  return {
    get: (messageSeq: number): ProviderCall | undefined => select.get(messageSeq),
    put: (_tx: Tx, messageSeq: number, { request, httpStatus, answer }: ProviderCall): void =>
      void put.run(messageSeq, JSON.stringify(request), httpStatus, answer === null ? null : JSON.stringify(answer)),
  }
}
