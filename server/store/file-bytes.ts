/** The bytes of files that callers sent along, where several nodes need them. */
export interface FileBytesStore {
  /** Keeps what is at `path`; it is there for good when this resolves. */
  save(id: string, path: string): Promise<void>
  /** Writes it to `path`. Resolves with its size in bytes; 0: it is not there. */
  load(id: string, path: string): Promise<number>
  remove(id: string): Promise<void>
  /** Removes what belongs to no file, an hour after it came: it comes before its file is written down. */
  removeUnused(): Promise<void>
}
