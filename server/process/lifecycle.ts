import { type App, createApp } from '../composition/app.ts'
import type { Overrides } from '../composition/core.ts'
import type { Config } from '../settings/config.ts'
import { temporaryFolder } from '../settings/data-folder.ts'

export interface Lifecycle {
  /** Undefined while there is none. */
  app(): App | undefined
  /** Ends in order, also in the middle of a start. */
  close(): Promise<void>
}

/**
 * Runs the app, and restarts it in the same process when it asks for that (after a restore).
 * @param failed it could not start, or not start again; it is closed then
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
 * Lets libraries put their temporary files into this folder of ours: they hold customers' pictures,
 * and what a crash leaves behind is found there. For the process's own entry, because it counts for
 * the whole process.
 */
function keepTemporaryFilesIn(folder: string): void {
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = folder
}
