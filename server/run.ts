import { createApp } from './app.ts'
import type { readConfig } from './config.ts'

/** Runs without a shell: under a terminal, a service manager, in tests. Ends with code 1 and one sentence if it cannot start. */
export async function runHeadless(read: () => ReturnType<typeof readConfig>): Promise<void> {
  try {
    const { config, warnings } = read()
    const app = await createApp(config)
    for (const warning of warnings) app.logger.warn(warning)
    await app.start()
    // The one line that tells the owner where to look; not a log line, because it holds the token.
    process.stderr.write(`Kurir is ready. Open its window: ${app.apiUrl()}/?token=${app.ownerToken}\n`)
    stopOnSignal(app.close)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
}

function stopOnSignal(close: () => Promise<void>): void {
  let closing = false
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (closing) return
      closing = true
      close().then(
        () => process.exit(0),
        (error: unknown) => {
          process.stderr.write(`${String(error)}\n`)
          process.exit(1)
        },
      )
    })
  }
}
