// The addresses of both modules: as built, or the source.
const [appModule = '', configModule = ''] = process.argv.slice(2)
const { createApp }: typeof import('../../server/composition/app.ts') = await import(appModule)
const { readConfig }: typeof import('../../server/settings/config.ts') = await import(configModule)

/**
 * The program as it ships, but impatient: what waits minutes between two attempts waits a moment here. And stubborn: each
 * kill in the middle of a send costs an attempt, and a message that five kills in a row have hit is failed rightly.
 */
const { config } = readConfig(process.env)
const app = await createApp(config, { retry: { waits: Array.from({ length: 100 }, () => 100) } })
await app.start()
process.on('message', () => {
  void app.close().then(() => process.exit(0))
})
process.send?.({ url: app.apiUrl() })
