import type { UpdateState } from '../server/contract/desktop.ts'
import type { Schedule } from './schedule.ts'

const FIRST_CHECK_MS = 60_000
const CHECK_EVERY_MS = 6 * 60 * 60 * 1000

/** The part of electron-updater's AppUpdater that is used. */
export interface Updater {
  autoDownload: boolean
  autoInstallOnAppQuit: boolean
  checkForUpdates(): Promise<{ downloadPromise?: Promise<unknown> | null } | null>
  quitAndInstall(): void
  on(event: 'update-available' | 'update-downloaded', listener: (info: { version: string }) => void): unknown
  on(event: 'update-not-available', listener: () => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'appimage-filename-updated', listener: (path: string) => void): unknown
  on(event: 'download-progress', listener: (progress: { percent: number }) => void): unknown
}

/** The part of electron-updater's updater for Windows that checks who signed a package. */
export interface SignatureChecker {
  logger: UpdateLogger | null
  /** Resolves with the reason of a refusal, or null. */
  verifyUpdateCodeSignature: (publishers: string[], file: string) => Promise<string | null>
}

interface UpdateLogger {
  info(text?: unknown): void
  warn(text?: unknown): void
  error(text?: unknown): void
}

/**
 * False for a program on Windows that was built without the name of its publisher: electron-updater
 * would take a package of anybody.
 * @param config app-update.yml, as the builder writes it
 */
export const namesPublisher = (config: string, platform: NodeJS.Platform): boolean =>
  platform !== 'win32' || /^publisherName:/m.test(config)

/**
 * Refuses a package whose signature could not be read, such as where PowerShell is blocked.
 * electron-updater only warns of it and takes the package, although nobody knows who made it.
 */
export function refuseUnchecked(updater: SignatureChecker): void {
  const { logger, verifyUpdateCodeSignature: verify } = updater
  let isUnchecked = false
  updater.logger = {
    info: (text) => logger?.info(text),
    error: (text) => logger?.error(text),
    warn(text) {
      if (String(text).includes('Ignoring signature validation')) isUnchecked = true
      logger?.warn(text)
    },
  }
  updater.verifyUpdateCodeSignature = async (publishers, file) => {
    isUnchecked = false
    return (await verify(publishers, file)) ?? (isUnchecked ? 'its signature could not be checked' : null)
  }
}

export interface UpdatesDeps {
  /** null where this copy was built without a place to get updates from. */
  updater: Updater | null
  schedule: Schedule
  onChange(state: UpdateState): void
  /** While it quits an update has put Kurir here. */
  onMoved(path: string): void
  /** Stops the server in good order, then does the last step. */
  leave(lastStep: () => void): Promise<void>
  quit(): void
}

export type Updates = ReturnType<typeof setupUpdates>

/**
 * Fetches a newer version quietly. It is installed when Kurir quits anyway, or when the owner asks
 * for it; both wait for the server to finish its send, so that an update never interrupts one.
 */
export function setupUpdates({ updater, schedule, onChange, onMoved, leave, quit }: UpdatesDeps) {
  let installing = false
  let state: UpdateState = updater ? { state: 'current' } : { state: 'off' }

  function change(next: UpdateState): void {
    state = next
    onChange(state)
  }

  async function check(): Promise<UpdateState> {
    if (!updater || state.state === 'ready' || state.state === 'downloading') return state
    change({ state: 'checking' })
    // Its events report finds and faults; the rejections only repeat them.
    const found = await updater.checkForUpdates().catch(() => null)
    found?.downloadPromise?.catch(() => {})
    // A copy that cannot replace itself, such as an unpacked one, asks nobody and says nothing.
    if (state.state === 'checking') change({ state: 'off' })
    return state
  }

  function checkFrom(ms: number): void {
    schedule(ms, () => void check().finally(() => checkFrom(CHECK_EVERY_MS)))
  }

  if (updater) {
    let version = ''
    updater.autoDownload = true
    updater.autoInstallOnAppQuit = true
    updater.on('update-not-available', () => change({ state: 'current' }))
    updater.on('update-available', (info) => {
      version = info.version
      change({ state: 'downloading', version, percent: 0 })
    })
    updater.on('download-progress', ({ percent }) => change({ state: 'downloading', version, percent }))
    updater.on('update-downloaded', (info) => change({ state: 'ready', version: info.version }))
    updater.on('appimage-filename-updated', onMoved)
    updater.on('error', (error) => {
      change({ state: 'failed', message: error.message })
      // The server is stopped already: a Kurir that stayed would send nothing.
      if (installing) quit()
    })
    checkFrom(FIRST_CHECK_MS)
  }

  return {
    get: () => state,
    check,
    async install(): Promise<void> {
      if (!updater || state.state !== 'ready') return
      installing = true
      await leave(() => updater.quitAndInstall())
    },
  }
}
