import type { RefusedCallRow, RefusedCallStore } from '../refused-calls.ts'
import type { Db, Write } from './engine.ts'
import { type Columns, integer, integerOrNull, selecting, text, textOrNull } from './sql.ts'

const CALL: Columns<RefusedCallRow> = {
  seq: integer('seq'),
  at: integer('at'),
  keyNumber: integerOrNull('key_number'),
  address: text('address'),
  method: text('method'),
  path: text('path'),
  status: integer('status'),
  code: text('code'),
  field: textOrNull('field'),
  problem: textOrNull('problem'),
  recipient: textOrNull('recipient'),
}

export function createRefusedCalls(db: Db, write: Write): RefusedCallStore {
  const page = selecting(db, CALL)<[number, number]>('FROM refused_calls WHERE seq < ? ORDER BY seq DESC LIMIT ?')
  const insert = db.prepare(
    `INSERT INTO refused_calls (at, key_number, address, method, path, status, code, field, problem, recipient)
     VALUES (@at, @keyNumber, @address, @method, @path, @status, @code, @field, @problem, @recipient)`,
  )
  const trim = db.prepare('DELETE FROM refused_calls WHERE seq <= (SELECT max(seq) FROM refused_calls) - ?')
  const trimWithoutKey = db.prepare(
    `DELETE FROM refused_calls WHERE key_number IS NULL AND seq <= (
       SELECT seq FROM refused_calls WHERE key_number IS NULL ORDER BY seq DESC LIMIT 1 OFFSET ?)`,
  )
  return {
    list: async ({ before, limit }) => page.all(before ?? Number.MAX_SAFE_INTEGER, limit),
    async add(calls, most, mostWithoutKey) {
      await write(() => {
        for (const call of calls) insert.run(call)
        trim.run(most)
        trimWithoutKey.run(mostWithoutKey)
      })
    },
  }
}
