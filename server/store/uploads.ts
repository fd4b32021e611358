import type { StorageProblem } from '../lib/storage-error.ts'
import { type Columns, integer, integerOrNull, text, writing } from './columns.ts'
import type { Statements } from './statements.ts'

export interface FileSummary {
  id: string
  /** Bytes. */
  size: number
  sha256: string
}

/**
 * A file that a caller uploaded, complete and on disk; its bytes are kept elsewhere. Times are
 * milliseconds since 1970.
 */
export interface UploadRow extends FileSummary {
  /** Number of the API key that sent the file; null: the owner sent it. */
  keyNumber: number | null
  name: string
  mimetype: string
  kind: 'image' | 'video' | 'audio' | 'document'
  createdAt: number
  /** The file is kept at least until then. */
  expiresAt: number
}

export interface UploadStore {
  add(file: UploadRow): Promise<void>
  get(id: string): Promise<UploadRow | undefined>
  list(): Promise<UploadRow[]>
  /**
   * Sums the bytes of an API key's files that no waiting message needs; a file counts as at least
   * `least` bytes.
   */
  unusedBytes(keyNumber: number, least: number): Promise<number>
  /** Removes a file, unless a message has it. */
  remove(id: string): Promise<void>
  /**
   * Removes files that expired before `now` and that no waiting message needs. Keeps files of
   * messages that failed within `again` (ms), because the owner may send these again. Resolves with
   * the ids.
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

export interface FileKeeper {
  /** Stores the file at `path`; resolves when it is stored durably. */
  save(file: FileSummary, path: string): Promise<void>
  /**
   * Writes the file to `path`, where a part may be left if this rejects. Resolves with false if not
   * all bytes were found.
   */
  load(file: FileSummary, path: string): Promise<boolean>
  /** Removes the bytes, or leaves them for a later sweep if that is not possible. */
  remove(id: string): Promise<void>
  /**
   * Removes bytes that belong to no file and are an hour old: bytes arrive before the row of their
   * file is written.
   */
  removeUnused(): Promise<void>
}

/** Bytes of uploaded files, which several nodes need. */
export interface FileBytesStore extends FileKeeper {
  /**
   * Why files cannot be stored or loaded, if the database is not at fault; null: they can. Read
   * from memory.
   */
  problem(): StorageProblem | null
  close(): Promise<void>
}
