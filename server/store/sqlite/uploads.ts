import { text } from '../columns.ts'
import type { UploadStore } from '../uploads.ts'
import { type Context, selecting } from './sql.ts'

export function removingUploads({ db, write }: Context) {
  const remove = db.prepare(
    'DELETE FROM files WHERE id = ? AND id NOT IN (SELECT file_id FROM messages WHERE file_id = ?)',
  )
  const unused = selecting(db, { id: text('id') })<[number, number]>(
    `FROM files WHERE expires_at <= ? AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.file_id = files.id
       AND (m.next_at IS NOT NULL OR (m.status = 'failed' AND m.occurred_at > ?)))`,
  )
  const drop = db.prepare('DELETE FROM files WHERE id = ?')
  return {
    remove: (id) => write(() => void remove.run(id, id)),
    removeUnused: (now, again) =>
      write(() => {
        const ids = unused.all(now, now - again).map(({ id }) => id)
        for (const id of ids) drop.run(id)
        return ids
      }),
  } satisfies Partial<UploadStore>
}
