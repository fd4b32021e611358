import type { App } from '../composition/app.ts'
import type { WindowLink } from '../contract/access.ts'
import { SECOND } from '../lib/clock.ts'
import { COMMAND } from '../lib/program.ts'
import { callProved } from '../lib/proved-call.ts'
import { StorageError } from '../lib/storage-error.ts'
import type { readConfig } from '../settings/config.ts'
import { findRunning } from '../settings/data-folder.ts'
import { type Lifecycle, runApp } from './lifecycle.ts'

/** Wait for an answer of the running Kurir. */
const LINK_WITHIN = 5 * SECOND

/**
 * Runs without the desktop's shell: under a terminal or a service manager, and in tests. If Kurir
 * cannot start, prints one sentence and exits with code 78 for a wrong setting, otherwise 1.
 */
export function runHeadless(read: () => ReturnType<typeof readConfig>): void {
  process.stderr.on('error', () => undefined)
  const given = configOf(read)
  if (given === undefined) return
  try {
    const { config, warnings } = given
    const ready = (app: App): void => {
      for (const warning of warnings.splice(0)) app.logger.warn(warning)
      if (process.getuid?.() === 0) app.logger.warn(AS_ROOT)
      // Not a log line, because the code in it opens the window.
      say(`Kurir is ready. ${whereWindow(app.newWindowLink().url)}\n`)
    }
    const notStarted = (error: unknown): void => {
      void besideRunning(error, config.home).then((better) => failed(better, wasMoved(error) ? WRONG_SETTING : 1))
    }
    stopOnSignal(runApp(config, {}, ready, notStarted))
  } catch (error) {
    failed(error)
  }
}

const whereWindow = (url: string): string => `Open its window within 10 minutes: ${url} (a new link: ${COMMAND} open)`

const AS_ROOT =
  'Kurir runs as root, and needs none of its rights: stop it, give its data folder to an account of its own, and start it as that one.'

/**
 * Replaces the `in_use` error of a second start by a link to the window of the running Kurir,
 * because its owner looks for the window.
 */
async function besideRunning(error: unknown, home: string): Promise<unknown> {
  if (!(error instanceof StorageError && error.problem === 'in_use')) return error
  try {
    const running = findRunning(home)
    if (running === undefined) return error
    const answer = await callProved(running, { method: 'POST', path: '/api/sessions/code', within: LINK_WITHIN })
    const { data } = (await answer.json()) as { data: WindowLink }
    return `Kurir runs already. ${whereWindow(data.url)}`
  } catch {
    // The running Kurir is just starting or stopping.
    return error
  }
}

/**
 * Prints text for the person who started Kurir. Ignores errors, because the terminal may be closed,
 * or a service's log file may be on a full disk.
 */
function say(text: string): void {
  try {
    process.stderr.write(text)
  } catch {}
}

// EX_CONFIG of sysexits.h: a service manager need not restart Kurir (packaging/kurir.service).
const WRONG_SETTING = 78

/** True if everything was moved to another place, so that a restart here changes nothing. */
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
