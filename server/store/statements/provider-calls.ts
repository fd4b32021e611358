import { z } from 'zod'
import type { ProviderCall } from '../messages.ts'
import type { Db, Tx } from './engine.ts'
import { type Columns, integerOrNull, json, jsonOrNull, selecting } from './sql.ts'

const CALL: Columns<ProviderCall> = {
  request: json('request', z.unknown()),
  httpStatus: integerOrNull('http_status'),
  answer: jsonOrNull('answer', z.unknown()),
}

/** The question to Meta and its answer, word for word. */
export function createProviderCalls(db: Db) {
  const select = selecting(db, CALL)<[number]>('FROM provider_calls WHERE message_seq = ?')
  const put = db.prepare(
    'INSERT OR REPLACE INTO provider_calls (message_seq, request, http_status, answer) VALUES (?, ?, ?, ?)',
  )
  return {
    get: (messageSeq: number): ProviderCall | undefined => select.get(messageSeq),
    put: (_tx: Tx, messageSeq: number, { request, httpStatus, answer }: ProviderCall): void =>
      void put.run(messageSeq, JSON.stringify(request), httpStatus, answer === null ? null : JSON.stringify(answer)),
  }
}
