import type { Config } from '../config.ts'
import { copyToFolder, copyToServer } from '../store/transfer.ts'

/** `kurir migrate-to`: the data folder into a database, or the database into a new folder. Returns what to print. */
export async function migrateTo(target: string, config: Config): Promise<string> {
  const toServer = /^postgres(ql)?:\/\//.test(target)
  if (!toServer && config.cluster === undefined) {
    throw new Error(
      'Give postgresql://user:password@host/database. To go back, set KURIR_DATABASE_URL and give an empty folder.',
    )
  }
  const tables = toServer
    ? await copyToServer(config.home, target)
    : await copyToFolder(config.cluster?.databaseUrl ?? '', target, { store: config.cluster?.files })
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const lines = tables
    .filter((table) => table.rows > 0)
    .map((table) => `${String(table.rows).padStart(9)}  ${table.table}`)
  const next = toServer
    ? `Copy ${config.home}/vault.key to every node (KURIR_VAULT_KEY_FILE) and start them with KURIR_DATABASE_URL. Do not start Kurir on ${config.home} again: it would send what waits there a second time.`
    : `Copy the vault key to ${target}/vault.key and start Kurir with KURIR_HOME=${target}, and without KURIR_DATABASE_URL. Do not start the nodes again: they would send what waits there a second time.`
  return [...lines, `${rows} rows copied and compared. ${next}`].join('\n')
}
