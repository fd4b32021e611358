import type { UploadRow, UploadStore } from '../uploads.ts'
import type { Db, Holding, Tx, Write } from './engine.ts'
import { type Columns, integer, integerOrNull, selecting, text } from './sql.ts'

const FILE: Columns<UploadRow> = {
  id: text('id'),
  keyNumber: integerOrNull('key_number'),
  name: text('name'),
  mimetype: text('mimetype'),
  kind: text('kind'),
  size: integer('size'),
  sha256: text('sha256'),
  createdAt: integer('created_at'),
  expiresAt: integer('expires_at'),
}

export interface UploadStatements extends UploadStore {
  exists(tx: Tx, id: string): boolean
}

export function createUploads(db: Db, write: Write, holding: Holding): UploadStatements {
  const files = selecting(db, FILE)
  const byId = files<[string]>('FROM files WHERE id = ?')
  const there = files<[string]>('FROM files WHERE id = ? /* only there */')
  const all = files('FROM files')
  const insert = db.prepare(
    `INSERT INTO files (id, key_number, name, mimetype, kind, size, sha256, created_at, expires_at)
     VALUES (@id, @keyNumber, @name, @mimetype, @kind, @size, @sha256, @createdAt, @expiresAt)`,
  )
  // First, so that a message that is just being accepted with it is there for the next statement.
  const holdToRemove = holding<[string]>('SELECT id FROM files WHERE id = ? /* to be removed */')
  const remove = db.prepare(
    'DELETE FROM files WHERE id = ? AND id NOT IN (SELECT file_id FROM messages WHERE file_id = ?)',
  )
  const isUnused = `NOT EXISTS (SELECT 1 FROM messages m WHERE m.file_id = files.id
    AND (m.next_at IS NOT NULL OR (m.status = 'failed' AND m.occurred_at > ?)))`
  const unused = selecting<{ id: string }>(db, { id: text('id') })<[number, number]>(
    `FROM files WHERE expires_at <= ? AND ${isUnused} /* to be removed */`,
  )
  const unusedOf = selecting<{ bytes: number }>(db, { bytes: integer('ifnull(sum(size), 0)') })<[number]>(
    `FROM files WHERE key_number = ? AND NOT EXISTS (
       SELECT 1 FROM messages m WHERE m.file_id = files.id AND m.next_at IS NOT NULL)`,
  )
  // Asked once more: on PostgreSQL a message that names it may have been accepted while its row was
  // waited for.
  const drop = db.prepare(`DELETE FROM files WHERE id = ? AND ${isUnused}`)

  return {
    exists: (_tx, id) => there.get(id) !== undefined,
    add: (file) => write(() => void insert.run(file)),
    get: async (id) => byId.get(id),
    list: async () => all.all(),
    unusedBytes: async (keyNumber) => unusedOf.get(keyNumber)?.bytes ?? 0,
    remove: (id) =>
      write((tx) => {
        holdToRemove(tx, id)
        remove.run(id, id)
      }),
    removeUnused: (now, again) =>
      write(() => {
        const ids = unused.all(now, now - again).map(({ id }) => id)
        const dropped = ids.map((id) => ({ id, result: drop.run(id, now - again) }))
        return dropped.filter(({ result }) => result.changes > 0).map(({ id }) => id)
      }),
  }
}
