import type { StorageProblem } from '../lib/storage-error.ts'
import { type Columns, integer, integerOrNull, text, writing } from './columns.ts'
import type { Statements } from './statements.ts'

/** Summary of a file's bytes. */
export interface FileSummary {
  id: string
  /** Bytes. */
  size: number
  sha256: string
}

/**
 * A file that a caller sent along, complete and on disk. Its bytes are not here. Times are
 * milliseconds since 1970.
 */
export interface UploadRow extends FileSummary {
  /** Number of the API key that sent it; null: the owner. */
  keyNumber: number | null
  name: string
  mimetype: string
  kind: 'image' | 'video' | 'audio' | 'document'
  createdAt: number
  /** Kept at least until then. */
  expiresAt: number
}

export interface UploadStore {
  add(file: UploadRow): Promise<void>
  get(id: string): Promise<UploadRow | undefined>
  list(): Promise<UploadRow[]>
  /** Bytes of the files of an API key that no message waits with, each at least `least`. */
  unusedBytes(keyNumber: number, least: number): Promise<number>
  /** Removes a file that no message has. */
  remove(id: string): Promise<void>
  /**
   * Removes those that expired before `now` and that no message waits with; a message that failed
   * within `again` (ms) counts, because its owner may send it again. Resolves with their ids.
   */
  removeUnused(now: number, again: number): Promise<string[]>
}

const UPLOAD: Columns<UploadRow> = {
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

export function createUploads({ rows, one, insert, write }: Statements) {
  const unusedOf = one(
    { bytes: integer('coalesce(sum(CASE WHEN size < CAST($2 AS BIGINT) THEN CAST($2 AS BIGINT) ELSE size END), 0)') },
    `FROM files WHERE key_number = $1 AND NOT EXISTS (
       SELECT 1 FROM messages m WHERE m.file_id = files.id AND m.next_at IS NOT NULL)`,
  )
  const put = insert('files', writing(UPLOAD))
  return {
    async add(file) {
      await write(...put([file]))
    },
    get: one(UPLOAD, 'FROM files WHERE id = $1'),
    list: rows(UPLOAD, 'FROM files'),
    unusedBytes: async (keyNumber, least) => (await unusedOf(keyNumber, least))?.bytes ?? 0,
  } satisfies Partial<UploadStore>
}

/** A place for the bytes of files. */
export interface FileKeeper {
  /** Keeps what is at `path`; it is there for good when this resolves. */
  save(file: FileSummary, path: string): Promise<void>
  /**
   * Writes it to `path`, where it may be in part if this rejects. Resolves with whether all of it
   * is there.
   */
  load(file: FileSummary, path: string): Promise<boolean>
  /** Removes the bytes, later if it cannot be done now. */
  remove(id: string): Promise<void>
  /**
   * Removes what belongs to no file, an hour after it came: it comes before its file is written
   * down.
   */
  removeUnused(): Promise<void>
}

/** The bytes of files that callers sent along, where several nodes need them. */
export interface FileBytesStore extends FileKeeper {
  /**
   * Why files cannot be kept or fetched, where that is not the database's fault; null: they can.
   * Kept in memory.
   */
  problem(): StorageProblem | null
  close(): Promise<void>
}
