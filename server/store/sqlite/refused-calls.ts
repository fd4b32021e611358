import { REFUSED_CALL, type RefusedCallStore } from '../refused-calls.ts'
import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'
import { selecting } from './sql.ts'

export function createRefusedCalls(db: Db, write: Write): RefusedCallStore {
  const page = selecting(
    db,
    REFUSED_CALL,
  )<[number, number]>('FROM refused_calls WHERE seq < ? ORDER BY seq DESC LIMIT ?')
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
