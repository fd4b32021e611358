import type { App } from '../composition/app.ts'
import type { Overrides } from '../composition/core.ts'
import { type FromServer, type ToServer, toServer } from '../contract/desktop.ts'
import { MINUTE, systemClock } from '../lib/clock.ts'
import { createLogger } from '../lib/logger.ts'
import type { readConfig } from '../settings/config.ts'
import { type Lifecycle, runApp } from './lifecycle.ts'

// After this time Kurir assumes that the suspend was cancelled, because the system sends no event
// for that.
const SUSPENDED_WITHIN = MINUTE

/** The part of Electron's `process.parentPort` that Kurir uses. */
export interface ParentPort {
  postMessage(message: unknown): void
  on(event: 'message', listener: (event: { data: unknown }) => void): unknown
}

/** Returns the port of the desktop's main process; undefined outside Electron. */
export const parentPort = (): ParentPort | undefined => (process as { parentPort?: ParentPort }).parentPort

/**
 * Runs as the desktop's server process, controlled by the shell. Never ends by itself: the shell
 * ends it after `stopped` or `failed`. Does not print the owner's token, because the shell provides
 * it.
 */
export function runDesktop(
  port: ParentPort,
  read: () => ReturnType<typeof readConfig>,
  overrides: Overrides = {},
): void {
  const clock = overrides.clock ?? systemClock
  const send = (message: FromServer): void => port.postMessage(message)
  const logger = overrides.logger ?? createLogger('error')
  let running: Lifecycle | undefined
  let stopWatching = (): void => {}
  let cancelResume = (): void => {}

  function failed(error: unknown): void {
    stopWatching()
    send({ type: 'failed', message: error instanceof Error ? error.message : String(error) })
  }

  function restarting(): void {
    stopWatching()
    send({ type: 'restarting' })
  }

  function ready(app: App): void {
    stopWatching()
    send({ type: 'ready', url: app.apiUrl() })
    stopWatching = app.watchAttention(send)
  }

  function start({ home, ownerToken, vaultKeyHex }: Extract<ToServer, { type: 'init' }>): void {
    const { config, warnings } = read()
    const vaultKey = Buffer.from(vaultKeyHex, 'hex')
    const begun = (app: App): void => {
      for (const warning of warnings.splice(0)) app.logger.warn(warning)
      ready(app)
    }
    running = runApp({ ...config, home, ownerToken }, { ...overrides, vaultKey }, begun, failed, restarting)
  }

  function suspend(): void {
    running?.app()?.suspend()
    cancelResume()
    cancelResume = clock.after(SUSPENDED_WITHIN, resume)
  }

  function resume(): void {
    cancelResume()
    running?.app()?.resume()
  }

  async function stop(): Promise<void> {
    stopWatching()
    cancelResume()
    try {
      await running?.close()
    } finally {
      send({ type: 'stopped' })
    }
  }

  async function act(message: ToServer): Promise<void> {
    const app = running?.app()
    switch (message.type) {
      case 'init':
        return start(message)
      case 'suspend':
        return suspend()
      case 'resume':
        return resume()
      case 'pause-all':
        return app?.setAllPaused(true)
      case 'resume-all':
        return app?.setAllPaused(false)
      case 'update-ready':
        return app?.updateReady(message.version)
      case 'stop':
        return stop()
    }
  }

  port.on('message', ({ data }) => {
    const message = toServer.parse(data)
    act(message).catch((error: unknown) => {
      if (message.type === 'init') failed(error)
      else logger.error({ err: error, message: message.type }, 'what the shell asked for was not done')
    })
  })
}
