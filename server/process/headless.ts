import type { readConfig } from '../config.ts'
import { type Lifecycle, runApp } from './lifecycle.ts'

/** Runs without a shell: under a terminal, a service manager, in tests. Ends with code 1 and one sentence if it cannot start. */
export function runHeadless(read: () => ReturnType<typeof readConfig>): void {
  try {
    const { config, warnings } = read()
    const running = runApp({
      config,
      ready(app) {
        for (const warning of warnings.splice(0)) app.logger.warn(warning)
        // The one line that says where the window is; not a log line, because its code opens it.
        const { url } = app.newWindowLink()
        process.stderr.write(`Kurir is ready. Open its window within 10 minutes: ${url} (a new link: kurir open)\n`)
      },
      failed,
    })
    stopOnSignal(running)
  } catch (error) {
    failed(error)
  }
}

function failed(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

function stopOnSignal(running: Lifecycle): void {
  let closing = false
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (closing) return
      closing = true
      running.close().then(
        () => process.exit(0),
        (error: unknown) => {
          process.stderr.write(`${String(error)}\n`)
          process.exit(1)
        },
      )
    })
  }
}
