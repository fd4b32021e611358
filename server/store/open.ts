import type { BucketOptions } from '../lib/s3-bucket.ts'
import type { SharedStore } from './postgres/nodes.ts'
import type { PostgresOptions } from './postgres/open.ts'
import { lockFolder } from './sqlite/database.ts'
import { openSqlite, type SqliteOptions } from './sqlite/open.ts'
import { forgetReplies } from './sqlite/staged.ts'
import type { Store } from './store.ts'

export interface OpenOptions extends SqliteOptions {
  /** A database that several nodes share; without it the store is in the data folder. */
  databaseUrl?: string | undefined
  /** The name of this node among those that share it. */
  node?: string | undefined
  /** The object store for the files of that database; without it they are in the database. */
  files?: BucketOptions | undefined
  /** Hears what a start waits for, in words for the owner: half a minute at most. */
  waiting?: (why: string) => void
}

/**
 * Opens the store, brought up to date, and holds the data folder for this process.
 * @throws StorageError, a sentence for the owner
 */
export async function openStore({
  home,
  databaseUrl,
  node = 'node',
  files,
  waiting = () => {},
  ...options
}: OpenOptions): Promise<Store | SharedStore> {
  const unlock = lockFolder(home)
  try {
    const store =
      databaseUrl === undefined
        ? await openSqlite({ home, ...options })
        : await shared({ url: databaseUrl, node, files, waiting, now: options.now })
    return {
      ...store,
      async copyTo(folder) {
        await store.copyTo(folder)
        forgetReplies(folder)
      },
      async close() {
        await store.close()
        unlock()
      },
    }
  } catch (error) {
    unlock()
    throw error
  }
}

/** Loaded only here: the program on one PC takes no memory for it. */
async function shared(options: PostgresOptions): Promise<SharedStore> {
  const { openPostgres } = await import('./postgres/open.ts')
  return openPostgres(options)
}
