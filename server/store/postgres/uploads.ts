import type { UploadStore } from '../uploads.ts'
import type { Context } from './sql.ts'

const IS_UNUSED = `NOT EXISTS (SELECT 1 FROM messages m WHERE m.file_id = files.id
  AND (m.next_at IS NOT NULL OR (m.status = 'failed' AND m.occurred_at > $2)))`

export function removingUploads({ write }: Context) {
  return {
    // First the row is held: a message that is just being accepted with it is there for the next
    // statement.
    async remove(id) {
      await write((tx) => {
        void tx.run('SELECT 1 FROM files WHERE id = $1 FOR UPDATE', [id])
        return tx.run(
          'DELETE FROM files WHERE id = $1 AND id NOT IN (SELECT file_id FROM messages WHERE file_id = $1)',
          [id],
        )
      })
    },
    async removeUnused(now, again) {
      const removed = await write(async (tx) => {
        const found = await tx.query<{ id: string }>(
          `SELECT id FROM files WHERE expires_at <= $1 AND ${IS_UNUSED} ORDER BY id FOR UPDATE`,
          [now, now - again],
        )
        return tx.query<{ id: string }>(`DELETE FROM files WHERE id = ANY ($1::text[]) AND ${IS_UNUSED} RETURNING id`, [
          found.map(({ id }) => id),
          now - again,
        ])
      })
      return removed.map(({ id }) => id)
    },
  } satisfies Partial<UploadStore>
}
