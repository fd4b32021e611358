import type { StorageProblem } from '../lib/storage-error.ts'
import type { UploadRow } from './uploads.ts'

/** Summary of a file's bytes. */
export type FileSummary = Pick<UploadRow, 'id' | 'size' | 'sha256'>

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
