import type { Written } from '../columns.ts'
import { REFUSED_CALL, type RefusedCallRow, type RefusedCallStore } from '../refused-calls.ts'
import { type Context, insertMany } from './sql.ts'

const WRITTEN: Written<Omit<RefusedCallRow, 'seq'>> = {
  at: (call) => call.at,
  key_number: (call) => call.keyNumber,
  address: (call) => call.address,
  method: (call) => call.method,
  path: (call) => call.path,
  status: (call) => call.status,
  code: (call) => call.code,
  field: (call) => call.field,
  problem: (call) => call.problem,
  recipient: (call) => call.recipient,
}

export function createRefusedCalls({ db, write }: Context): RefusedCallStore {
  return {
    list: ({ before = Number.MAX_SAFE_INTEGER, limit }) =>
      db.rows(REFUSED_CALL, 'FROM refused_calls WHERE seq < $1 ORDER BY seq DESC LIMIT $2', [before, limit]),
    async add(calls, most, mostWithoutKey) {
      await write((tx) =>
        Promise.all([
          insertMany(tx, 'refused_calls', WRITTEN, calls),
          tx.run('DELETE FROM refused_calls WHERE seq <= (SELECT max(seq) FROM refused_calls) - $1::bigint', [most]),
          tx.run(
            `DELETE FROM refused_calls WHERE key_number IS NULL AND seq <= (
               SELECT seq FROM refused_calls WHERE key_number IS NULL ORDER BY seq DESC LIMIT 1 OFFSET $1)`,
            [mostWithoutKey],
          ),
        ]),
      )
    },
  }
}
