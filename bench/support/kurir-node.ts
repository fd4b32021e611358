import { builtProgram } from './built.ts'
import { reportReady } from './processes.ts'

/** One node of several on one database. */
const [home = '', databaseUrl = '', keyFile = '', name = '', token = ''] = process.argv.slice(2)
const { createApp, createLogger, readConfig } = await builtProgram()
const { config } = readConfig({
  KURIR_HOME: home,
  KURIR_PORT: '0',
  KURIR_WEBHOOK_PORT: '0',
  KURIR_OWNER_TOKEN: token,
  KURIR_DATABASE_URL: databaseUrl,
  KURIR_VAULT_KEY_FILE: keyFile,
  KURIR_NODE: name,
})
const app = await createApp(config, { logger: createLogger('silent') })
await app.start()
reportReady({ origin: app.apiUrl() }, app.close)
