import { createApp } from '../../server/app.ts'
import { readConfig } from '../../server/config.ts'

/** The program as it ships, but impatient: what waits minutes between two attempts waits a moment here. */
const { config } = readConfig(process.env)
const app = await createApp(config, { retry: { waits: [100, 200, 400, 800] } })
await app.start()
process.on('message', () => {
  void app.close().then(() => process.exit(0))
})
process.send?.({ url: app.apiUrl() })
