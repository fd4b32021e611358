import type { UpdateState } from '../server/contract/desktop.ts'
import type { Schedule } from './schedule.ts'

const FIRST_CHECK_MS = 60_000
const CHECK_EVERY_MS = 6 * 60 * 60 * 1000

/** The part of electron-updater's AppUpdater that this module uses. */
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

/** The part of electron-updater's Windows updater that checks the signature of a package. */
export interface SignatureChecker {
  logger: UpdateLogger | null
  /** Resolves with the reason for a refusal; null: the signature is good. */
  verifyUpdateCodeSignature: (publishers: string[], file: string) => Promise<string | null>
}

interface UpdateLogger {
  info(text?: unknown): void
  warn(text?: unknown): void
  error(text?: unknown): void
}

/**
 * False for a Windows build without the name of its publisher, because electron-updater would then
 * install a package from anybody.
 * @param config content of app-update.yml, as the builder writes it
 */
export const namesPublisher = (config: string, platform: NodeJS.Platform): boolean =>
  platform !== 'win32' || /^publisherName:/m.test(config)

/**
 * Makes an updater refuse a package whose signature could not be read, for example because
 * PowerShell is blocked. electron-updater alone only logs a warning and installs the package.
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
  /** Null: this copy was built without a source of updates. */
  updater: Updater | null
  schedule: Schedule
  onChange(state: UpdateState): void
  /** Called while Kurir quits, with the new path at which an update has put it. */
  onMoved(path: string): void
  leave(lastStep: () => void): Promise<void>
  quit(): void
}

export type Updates = ReturnType<typeof setupUpdates>

/**
 * Downloads newer versions in the background. A version is installed when Kurir quits, or when the
 * owner asks for it. Both wait for the server, so that an update never interrupts a send.
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
    // The updater's events report results and errors; the rejections only repeat them.
    const found = await updater.checkForUpdates().catch(() => null)
    found?.downloadPromise?.catch(() => {})
    // In a copy that cannot replace itself, such as an unpacked one, the updater emits no event.
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
      // The server is stopped already, so a Kurir that kept running would send nothing.
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
