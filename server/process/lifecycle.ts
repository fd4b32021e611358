import { type App, createApp } from '../composition/app.ts'
import type { Overrides } from '../composition/core.ts'
import type { Config } from '../settings/config.ts'
import { temporaryFolder } from '../settings/data-folder.ts'

export interface Lifecycle {
  /** Undefined while no app runs. */
  app(): App | undefined
  /** Closes the app in order, even in the middle of a start. */
  close(): Promise<void>
}

/**
 * Runs the app, and restarts it in the same process when the app asks for it (after a restore).
 * @param failed called if the app could not start or restart; the app is closed by then
 */
export function runApp(
  config: Config,
  overrides: Overrides,
  ready: (app: App) => void,
  failed: (error: unknown) => void,
  restarting: () => void = () => {},
): Lifecycle {
  let app: App | undefined
  let closing = false
  keepTemporaryFilesIn(temporaryFolder(config.home))

  async function begin(): Promise<void> {
    if (closing) return
    const made = await createApp(config, { ...overrides, restart })
    app = made
    try {
      await made.start()
    } catch (error) {
      await end()
      throw error
    }
    if (!closing) ready(made)
  }

  async function end(): Promise<void> {
    const ending = app
    app = undefined
    await ending?.close()
  }

  function restart(): void {
    restarting()
    work = work.then(end).then(begin).catch(failed)
  }

  let work = begin().catch(failed)
  return {
    app: () => app,
    async close() {
      closing = true
      await work
      await end()
    },
  }
}

/**
 * Makes libraries put their temporary files into Kurir's own folder, because these files hold
 * customers' pictures, and there the next start finds what a crash leaves behind. Called by the
 * process's entry, because the setting affects the whole process.
 */
function keepTemporaryFilesIn(folder: string): void {
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = folder
}
