import { builtProgram } from './built.ts'
import { reportReady } from './processes.ts'
import { answerForStretches } from './stretches.ts'

/** Kurir as it is shipped, whose main thread is watched while it checks tables. */
const [home = ''] = process.argv.slice(2)
const { createApp, createLogger, readConfig } = await builtProgram()
const { config } = readConfig({
  KURIR_HOME: home,
  KURIR_PORT: '0',
  KURIR_WEBHOOK_PORT: '0',
  KURIR_OWNER_TOKEN: 'bench-owner-token-0123456789-0123456789',
})
const app = await createApp(config, { logger: createLogger('silent') })
await app.start()
answerForStretches()
reportReady({ origin: app.apiUrl(), owner: app.ownerToken }, app.close)
