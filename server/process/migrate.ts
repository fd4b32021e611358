import { resolve } from 'node:path'
import type { Config } from '../config.ts'
import { moveToFolder, moveToServer, reopenFolder, reopenServer } from '../store/transfer/index.ts'

/** `kurir migrate-to`: the data folder into a database, or the database into a new folder. Returns what to print. */
export async function migrateTo(target: string, config: Config): Promise<string> {
  const toServer = /^postgres(ql)?:\/\//.test(target)
  if (!toServer && config.cluster === undefined) {
    throw new Error(
      'Give postgresql://user:password@host/database. To go back, set KURIR_DATABASE_URL and give an empty folder.',
    )
  }
  const folder = resolve(target)
  const tables = toServer
    ? await moveToServer(config.home, target)
    : await moveToFolder(config.cluster?.databaseUrl ?? '', folder, config.cluster?.files)
  const next = toServer
    ? `Copy ${config.home}/vault.key to every node (KURIR_VAULT_KEY_FILE) and start them with KURIR_DATABASE_URL. Kurir does not start on ${config.home} any more: it would send what waits there a second time.`
    : `Copy the vault key to ${folder}/vault.key and start Kurir with KURIR_HOME=${folder}, and without KURIR_DATABASE_URL. No node starts on the database any more: it would send what waits there a second time.`
  if (tables === 'done_before') return `Everything had been copied when this was interrupted. ${next}`
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const lines = tables
    .filter((table) => table.rows > 0)
    .map((table) => `${String(table.rows).padStart(9)}  ${table.table}`)
  return [...lines, `${rows} rows copied and compared. ${next}`].join('\n')
}

/** `kurir reopen`: where everything was moved away from, Kurir may start again. Returns what to print. */
export async function reopen({ home, cluster }: Config): Promise<string> {
  const wasMoved = await (cluster === undefined ? reopenFolder(home) : reopenServer(cluster.databaseUrl))
  return wasMoved
    ? 'Kurir starts here again, with what was here when it was moved. Numbers for which messages wait are paused: resume them when you know that nothing of it was sent from the other place.'
    : 'Nothing was moved away from here.'
}
