import { integer, text } from '../columns.ts'
import { UPLOAD, type UploadStore } from '../uploads.ts'
import type { Db } from './database.ts'
import type { Tx, Write } from './group-commit.ts'
import { selecting } from './sql.ts'

export interface UploadStatements extends UploadStore {
  exists(tx: Tx, id: string): boolean
}

export function createUploads(db: Db, write: Write): UploadStatements {
  const files = selecting(db, UPLOAD)
  const byId = files<[string]>('FROM files WHERE id = ?')
  const all = files('FROM files')
  const insert = db.prepare(
    `INSERT INTO files (id, key_number, name, mimetype, kind, size, sha256, created_at, expires_at)
     VALUES (@id, @keyNumber, @name, @mimetype, @kind, @size, @sha256, @createdAt, @expiresAt)`,
  )
  const remove = db.prepare(
    'DELETE FROM files WHERE id = ? AND id NOT IN (SELECT file_id FROM messages WHERE file_id = ?)',
  )
  const isUnused = `NOT EXISTS (SELECT 1 FROM messages m WHERE m.file_id = files.id
    AND (m.next_at IS NOT NULL OR (m.status = 'failed' AND m.occurred_at > ?)))`
  const unused = selecting<{ id: string }>(db, { id: text('id') })<[number, number]>(
    `FROM files WHERE expires_at <= ? AND ${isUnused}`,
  )
  const unusedOf = selecting<{ bytes: number }>(db, { bytes: integer('ifnull(sum(size), 0)') })<[number]>(
    `FROM files WHERE key_number = ? AND NOT EXISTS (
       SELECT 1 FROM messages m WHERE m.file_id = files.id AND m.next_at IS NOT NULL)`,
  )
  const drop = db.prepare('DELETE FROM files WHERE id = ?')

  return {
    exists: (_tx, id) => byId.get(id) !== undefined,
    add: (file) => write(() => void insert.run(file)),
    get: async (id) => byId.get(id),
    list: async () => all.all(),
    unusedBytes: async (keyNumber) => unusedOf.get(keyNumber)?.bytes ?? 0,
    remove: (id) => write(() => void remove.run(id, id)),
    removeUnused: (now, again) =>
      write(() => {
        const ids = unused.all(now, now - again).map(({ id }) => id)
        for (const id of ids) drop.run(id)
        return ids
      }),
  }
}
