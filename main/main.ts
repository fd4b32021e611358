import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  app,
  BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  Notification,
  nativeTheme,
  powerMonitor,
  safeStorage,
  screen,
  session,
  shell,
  Tray,
  utilityProcess,
} from 'electron'
import type { ShellElectron, ShellSystem } from './electron.ts'
import { HIDDEN } from './login-item.ts'
import { realSchedule } from './schedule.ts'
import { startShell } from './shell.ts'
import { namesPublisher, refuseUnchecked, type Updater } from './updates.ts'

const dist = fileURLToPath(new URL('..', import.meta.url))

const electron: ShellElectron = {
  app,
  dialog,
  ipcMain,
  Menu,
  nativeTheme,
  powerMonitor,
  safeStorage,
  screen,
  shell,
  defaultSession: () => session.defaultSession,
  createWindow: (options) => new BrowserWindow(options),
  createSealedWindow: (options) => new BrowserWindow(options),
  createTray: (image) => new Tray(image),
  createNotification: (content) => new Notification(content),
  forkServer: () => utilityProcess.fork(join(dist, 'server', 'main.js'), [], { serviceName: 'Kurir server' }),
}

const system: ShellSystem = {
  platform: process.platform,
  env: process.env,
  argv: process.argv,
  dist,
  command: {
    // Not execPath in an AppImage, which is mounted at another path each time.
    path: process.env.APPIMAGE ?? process.execPath,
    args: app.isPackaged ? [HIDDEN] : [app.getAppPath(), HIDDEN],
  },
  schedule: realSchedule,
  randomBytes,
  loadUpdater,
}

// Not awaited, because Electron becomes ready only after this module has finished.
startShell(electron, system).catch((error: Error) => {
  dialog.showErrorBox('Kurir', error.stack ?? error.message)
  app.exit(1)
})

/**
 * Resolves with null if this copy has no source of updates: the builder writes app-update.yml only
 * if one is configured.
 */
async function loadUpdater(): Promise<Updater | null> {
  const config = join(process.resourcesPath, 'app-update.yml')
  if (!app.isPackaged || !existsSync(config)) return null
  if (!namesPublisher(readFileSync(config, 'utf8'), process.platform)) return null
  const { default: electronUpdater } = await import('electron-updater')
  const { autoUpdater, NsisUpdater } = electronUpdater
  if (autoUpdater instanceof NsisUpdater) refuseUnchecked(autoUpdater)
  return autoUpdater
}
