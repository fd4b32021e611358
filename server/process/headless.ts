import type { readConfig } from '../config.ts'
import { COMMAND } from '../lib/command.ts'
import { StorageError } from '../lib/storage-error.ts'
import { type Lifecycle, runApp } from './lifecycle.ts'

/** Runs without a shell: under a terminal, a service manager, in tests. Ends with one sentence if it cannot start: code 78 for a wrong setting, otherwise 1. */
export function runHeadless(read: () => ReturnType<typeof readConfig>): void {
  process.stderr.on('error', () => undefined)
  const given = configOf(read)
  if (given === undefined) return
  try {
    const { config, warnings } = given
    const running = runApp({
      config,
      ready(app) {
        for (const warning of warnings.splice(0)) app.logger.warn(warning)
        // The one line that says where the window is; not a log line, because its code opens it.
        const { url } = app.newWindowLink()
        say(`Kurir is ready. Open its window within 10 minutes: ${url} (a new link: ${COMMAND} open)\n`)
      },
      failed: (error) => failed(error, wasMoved(error) ? WRONG_SETTING : 1),
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

// EX_CONFIG of sysexits.h: a service manager need not try again (packaging/kurir.service).
const WRONG_SETTING = 78

/** It starts somewhere else: trying again here changes nothing. */
const wasMoved = (error: unknown): boolean =>
  error instanceof StorageError && (error.problem === 'moved' || error.problem === 'moving')

function configOf(read: () => ReturnType<typeof readConfig>): ReturnType<typeof readConfig> | undefined {
  try {
    return read()
  } catch (error) {
    failed(error, WRONG_SETTING)
    return undefined
  }
}

function failed(error: unknown, exitCode = 1): void {
  say(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = exitCode
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
