import { type Columns, flag, integer, text } from '../columns.ts'
import type { GroupRow, GroupStore } from '../groups.ts'
import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'
import { selecting } from './sql.ts'

const GROUP: Columns<GroupRow> = {
  jid: text('jid'),
  name: text('name'),
  members: integer('members'),
  canSend: flag('can_send'),
}

export function createGroups(db: Db, write: Write): GroupStore {
  const of = selecting(db, GROUP)<[number]>('FROM sender_groups WHERE sender_id = ? ORDER BY name, jid')
  const forget = db.prepare('DELETE FROM sender_groups WHERE sender_id = ?')
  const put = db.prepare(
    `INSERT OR REPLACE INTO sender_groups (sender_id, jid, name, members, can_send)
     VALUES (@senderId, @jid, @name, @members, @canSend)`,
  )
  return {
    list: async (senderId) => of.all(senderId),
    replace: (senderId, groups) =>
      write(() => {
        forget.run(senderId)
        for (const group of groups) put.run({ ...group, senderId, canSend: Number(group.canSend) })
      }),
  }
}
