import { StorageError } from '../../lib/storage-error.ts'
import type { Write } from './group-commit.ts'
import type { MetaStatements } from './meta.ts'

const ENOUGH = 64 * 1024

/** Tries whether there is room for more than a few bytes: writes and removes them. */
export const createProbe = (write: Write, meta: MetaStatements) => async (): Promise<boolean> => {
  try {
    await write((tx) => meta.put(tx, 'probe', 'x'.repeat(ENOUGH)))
    await write((tx) => meta.remove(tx, 'probe'))
    return true
  } catch (error) {
    if (error instanceof StorageError) return false
    throw error
  }
}
