import type { readConfig } from '../config.ts'
import { type Lifecycle, runApp } from './lifecycle.ts'

/** Runs without a shell: under a terminal, a service manager, in tests. Ends with code 1 and one sentence if it cannot start. */
export function runHeadless(read: () => ReturnType<typeof readConfig>): void {
  process.stderr.on('error', () => undefined)
  try {
    const { config, warnings } = read()
    const running = runApp({
      config,
      ready(app) {
        for (const warning of warnings.splice(0)) app.logger.warn(warning)
        // The one line that says where the window is; not a log line, because it holds the token.
        say(`Kurir is ready. Open its window: ${app.apiUrl()}/?token=${app.ownerToken}\n`)
      },
      failed,
    })
    stopOnSignal(running)
  } catch (error) {
    failed(error)
  }
}

/** For the person who started it. Nobody may be there any more, and a service's file may be on a full disk. */
function say(text: string): void {
  try {
    process.stderr.write(text)
  } catch {}
}

function failed(error: unknown): void {
  say(`${error instanceof Error ? error.message : String(error)}\n`)
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
          say(`${String(error)}\n`)
          process.exit(1)
        },
      )
    })
  }
}
