import { startBuilt } from './built.ts'
import { reportReady } from './processes.ts'

/** One of several nodes on one database. */
const [home = '', databaseUrl = '', keyFile = '', name = '', token = ''] = process.argv.slice(2)
const { app } = await startBuilt(home, {
  KURIR_OWNER_TOKEN: token,
  KURIR_DATABASE_URL: databaseUrl,
  KURIR_VAULT_KEY_FILE: keyFile,
  KURIR_NODE: name,
})
reportReady({ origin: app.apiUrl() }, app.close)
