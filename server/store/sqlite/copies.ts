import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase } from './database.ts'
import { FILES, REPLACED } from './staged.ts'

/**
 * Copies that lie beside the databases: `kurir.db.v1.bak` of a migration, `kurir.db.before-restore`
 * of a restore.
 */
const isCopy = (name: string): boolean =>
  FILES.some((file) => name.startsWith(`${file}.v`) || name.startsWith(`${file}${REPLACED}`))

/**
 * Removes those that were written last before `before` (milliseconds); resolves with their names.
 */
export async function removeCopies(home: string, before: number): Promise<string[]> {
  const removed: string[] = []
  for (const name of (await readdir(home)).filter(isCopy)) {
    const path = join(home, name)
    if ((await stat(path)).mtimeMs >= before) continue
    await rm(path, { force: true })
    removed.push(name)
  }
  return removed
}

/** Removes customers' replies from copies, with their deliveries. @param folder of the copies */
export function forgetReplies(folder: string): void {
  const copy = openDatabase(join(folder, FILES[0]))
  try {
    copy.exec(
      `UPDATE webhook_deliveries SET state = 'dead', next_at = NULL
       WHERE state = 'pending' AND event_seq IN (SELECT event_seq FROM replies); DELETE FROM replies`,
    )
  } finally {
    copy.close()
  }
}
