import {
  countRefusals,
  REFUSED_CALL,
  REFUSED_CALL_WRITTEN,
  REFUSED_SPELL,
  type RefusedCallStore,
  spellsSince,
} from '../refused-calls.ts'
import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'
import { inserting, selecting } from './sql.ts'

export function createRefusedCalls(db: Db, write: Write): RefusedCallStore {
  const select = selecting(db, REFUSED_CALL)
  const page = select<[number, number]>('FROM refused_calls WHERE seq < ? ORDER BY seq DESC LIMIT ?')
  const pageOfGroup = select<[string, number, number]>(
    'FROM refused_calls WHERE group_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?',
  )
  const groups = select<[number]>(
    `FROM refused_calls WHERE seq IN (SELECT max(seq) FROM refused_calls WHERE at > ? GROUP BY group_id)
     ORDER BY seq DESC`,
  )
  const spell = selecting(
    db,
    REFUSED_SPELL,
  )<[string, number]>('FROM refused_calls WHERE group_id = ? AND at > ? AND seen = 0 GROUP BY group_id')
  const insert = inserting(db, 'refused_calls', REFUSED_CALL_WRITTEN)
  const trim = db.prepare('DELETE FROM refused_calls WHERE seq <= (SELECT max(seq) FROM refused_calls) - ?')
  const trimWithoutKey = db.prepare(
    `DELETE FROM refused_calls WHERE key_number IS NULL AND seq <= (
       SELECT seq FROM refused_calls WHERE key_number IS NULL ORDER BY seq DESC LIMIT 1 OFFSET ?)`,
  )
  const markSeen = db.prepare('UPDATE refused_calls SET seen = 1 WHERE group_id = ? AND seen = 0')
  const markAllSeen = db.prepare('UPDATE refused_calls SET seen = 1 WHERE seen = 0')
  return {
    list: async ({ before = Number.MAX_SAFE_INTEGER, limit, groupId }) =>
      groupId === undefined ? page.all(before, limit) : pageOfGroup.all(groupId, before, limit),
    groups: async (since) => groups.all(since),
    async add(calls, most, mostWithoutKey) {
      const since = spellsSince(calls)
      await write(() => {
        const last = [...new Set(calls.map(({ groupId }) => groupId))].flatMap((id) => spell.get(id, since) ?? [])
        for (const call of countRefusals(calls, last)) insert(call)
        trim.run(most)
        trimWithoutKey.run(mostWithoutKey)
      })
    },
    async markSeen(groupId) {
      await write(() => (groupId === undefined ? markAllSeen.run() : markSeen.run(groupId)))
    },
  }
}
