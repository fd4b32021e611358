import type {
  BrowserWindowConstructorOptions,
  Menu,
  MenuItemConstructorOptions,
  MessageBoxOptions,
  Rectangle,
} from 'electron'
import type { BridgeIpc } from './bridge.ts'
import type { GuardDeps, GuardedSession } from './guard.ts'
import type { LoginItemApp } from './login-item.ts'
import type { ShellNotification } from './notices.ts'
import type { RequestHeaders } from './owner-access.ts'
import type { SealedWindow } from './passkey-window.ts'
import type { PowerEvents } from './power.ts'
import type { QuitApp } from './quit.ts'
import type { Schedule } from './schedule.ts'
import type { ServerChild } from './server-process.ts'
import type { SingleInstanceApp } from './single-instance.ts'
import type { ShellTray } from './tray.ts'
import type { Updater } from './updates.ts'
import type { VaultDeps } from './vault.ts'
import type { ShellWindow } from './window.ts'

/**
 * All parts of Electron that the shell uses. main.ts passes the real Electron, and the compiler
 * checks that it fits.
 */
export interface ShellElectron {
  app: SingleInstanceApp &
    QuitApp &
    LoginItemApp &
    GuardDeps['app'] & {
      whenReady(): Promise<void>
      getPath(name: 'userData' | 'appData'): string
      getVersion(): string
      getPreferredSystemLanguages(): string[]
      setAppUserModelId(id: string): void
    }
  /** Must not be called before the app is ready. */
  defaultSession(): GuardedSession & { webRequest: RequestHeaders }
  createWindow(options: BrowserWindowConstructorOptions): ShellWindow
  createSealedWindow(options: BrowserWindowConstructorOptions): SealedWindow
  createTray(image: string): ShellTray<Menu>
  createNotification(content: { title: string; body: string }): ShellNotification
  forkServer(): ServerChild
  Menu: {
    buildFromTemplate(template: MenuItemConstructorOptions[]): Menu
    setApplicationMenu(menu: Menu | null): void
  }
  dialog: { showMessageBox(options: MessageBoxOptions): Promise<{ response: number }> }
  ipcMain: BridgeIpc
  nativeTheme: { readonly shouldUseDarkColors: boolean }
  powerMonitor: PowerEvents
  safeStorage: VaultDeps['safeStorage']
  screen: { getAllDisplays(): { workArea: Rectangle }[] }
  shell: { openExternal(url: string): Promise<void> }
}

export interface ShellSystem {
  platform: NodeJS.Platform
  env: Readonly<Record<string, string | undefined>>
  argv: readonly string[]
  dist: string
  /** Command that starts Kurir at login. */
  command: { path: string; args: string[] }
  schedule: Schedule
  randomBytes(size: number): Buffer
  /** Resolves with null if this copy has no source of updates. */
  loadUpdater(): Promise<Updater | null>
}
