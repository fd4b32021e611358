import { type Columns, flag, integer, text } from '../columns.ts'
import type { GroupRow, GroupStore } from '../groups.ts'
import type { Context } from './sql.ts'

const GROUP: Columns<GroupRow> = {
  jid: text('jid'),
  name: text('name'),
  members: integer('members'),
  canSend: flag('can_send'),
}

export const createGroups = ({ db, write }: Context): GroupStore => ({
  list: (senderId) =>
    db.rows(GROUP, 'FROM sender_groups WHERE sender_id = $1 ORDER BY name COLLATE "C", jid COLLATE "C"', [senderId]),
  async replace(senderId, groups) {
    await write(async (tx) => {
      void tx.run('DELETE FROM sender_groups WHERE sender_id = $1', [senderId])
      await tx.run(
        `INSERT INTO sender_groups (sender_id, jid, name, members, can_send)
         SELECT $1, * FROM unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[])`,
        [
          ...[senderId, groups.map(({ jid }) => jid), groups.map(({ name }) => name)],
          ...[groups.map(({ members }) => members), groups.map(({ canSend }) => Number(canSend))],
        ],
      )
    })
  },
})
