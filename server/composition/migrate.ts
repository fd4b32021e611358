import { resolve } from 'node:path'
import type { Config } from '../settings/config.ts'
import { moveToFolder, moveToServer, reopenFolder, reopenServer } from '../store/transfer/index.ts'

/**
 * Runs `kurir migrate-to`: copies the data folder into the database of KURIR_DATABASE_URL, or that
 * database into a new folder. Resolves with the text to print.
 * @param target `database`, or a folder
 */
export async function migrateTo(target: string, { home, cluster }: Config): Promise<string> {
  if (cluster === undefined)
    throw new Error('Set KURIR_DATABASE_URL and KURIR_VAULT_KEY_FILE as for a node. Nothing was copied.')
  const toServer = target === 'database'
  const folder = resolve(target)
  const tables = toServer
    ? await moveToServer(home, cluster.databaseUrl)
    : await moveToFolder(cluster.databaseUrl, folder, cluster.files)
  const next = toServer
    ? `Copy ${home}/vault.key to every node (KURIR_VAULT_KEY_FILE) and start them with KURIR_DATABASE_URL. Kurir does not start on ${home} any more: it would send what waits there a second time.`
    : `Copy the vault key to ${folder}/vault.key and start Kurir with KURIR_HOME=${folder}, and without KURIR_DATABASE_URL. No node starts on the database any more: it would send what waits there a second time.`
  if (tables === 'done_before') return `Everything had been copied when this was interrupted. ${next}`
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const lines = tables
    .filter((table) => table.rows > 0)
    .map((table) => `${String(table.rows).padStart(9)}  ${table.table}`)
  return [...lines, `${rows} rows copied and compared. ${next}`].join('\n')
}

/**
 * Runs `kurir reopen`: lets Kurir start again where its data was moved away. Resolves with the text
 * to print.
 */
export async function reopen({ home, cluster }: Config): Promise<string> {
  const wasMoved = await (cluster === undefined ? reopenFolder(home) : reopenServer(cluster.databaseUrl))
  return wasMoved
    ? 'Kurir starts here again, with what was here when it was moved. Numbers for which messages wait are paused: resume them when you know that nothing of it was sent from the other place.'
    : 'Nothing was moved away from here.'
}
