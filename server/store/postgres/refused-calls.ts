import {
  countRefusals,
  REFUSED_CALL,
  REFUSED_CALL_WRITTEN,
  REFUSED_SPELL,
  type RefusedCallStore,
  spellsSince,
} from '../refused-calls.ts'
import { type Context, insertMany } from './sql.ts'

export function createRefusedCalls({ db, write }: Context): RefusedCallStore {
  return {
    list: ({ before = Number.MAX_SAFE_INTEGER, limit, groupId = null }) =>
      db.rows(
        REFUSED_CALL,
        `FROM refused_calls WHERE seq < $1 AND ($3::text IS NULL OR group_id = $3::text)
         ORDER BY seq DESC LIMIT $2`,
        [before, limit, groupId],
      ),
    groups: (since) =>
      db.rows(
        REFUSED_CALL,
        `FROM refused_calls WHERE seq IN (SELECT max(seq) FROM refused_calls WHERE at > $1 GROUP BY group_id)
         ORDER BY seq DESC`,
        [since],
      ),
    async add(calls, most, mostWithoutKey) {
      const ids = [...new Set(calls.map(({ groupId }) => groupId))]
      await write(async (tx) => {
        const last = await tx.rows(
          REFUSED_SPELL,
          'FROM refused_calls WHERE group_id = ANY ($1) AND at > $2 AND seen = 0 GROUP BY group_id',
          [ids, spellsSince(calls)],
        )
        await Promise.all([
          insertMany(tx, 'refused_calls', REFUSED_CALL_WRITTEN, countRefusals(calls, last)),
          tx.run('DELETE FROM refused_calls WHERE seq <= (SELECT max(seq) FROM refused_calls) - $1::bigint', [most]),
          tx.run(
            `DELETE FROM refused_calls WHERE key_number IS NULL AND seq <= (
               SELECT seq FROM refused_calls WHERE key_number IS NULL ORDER BY seq DESC LIMIT 1 OFFSET $1)`,
            [mostWithoutKey],
          ),
        ])
      })
    },
    async markSeen(groupId) {
      await write((tx) =>
        tx.run('UPDATE refused_calls SET seen = 1 WHERE seen = 0 AND ($1::text IS NULL OR group_id = $1::text)', [
          groupId ?? null,
        ]),
      )
    },
  }
}
