import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { LoginItemState } from '../server/contract/desktop.ts'

/** Given to a start by the system, which opens no window: only the sign near the clock. */
export const HIDDEN = '--hidden'

/** The part of Electron's App that is used. */
export interface LoginItemApp {
  getLoginItemSettings(options: { path: string; args: string[] }): { openAtLogin: boolean; wasOpenedAtLogin: boolean }
  setLoginItemSettings(settings: { openAtLogin: boolean; path: string; args: string[] }): void
}

export interface LoginItemDeps {
  app: LoginItemApp
  platform: NodeJS.Platform
  /**
   * Command that starts Kurir: the AppImage itself where there is one, since its inside is mounted
   * elsewhere each time.
   */
  command: { path: string; args: string[] }
  /** On Linux `~/.config`: Electron has no login item there, the desktops read files. */
  configFolder: string
}

export interface LoginItem {
  get(): LoginItemState
  set(enabled: boolean): LoginItemState
  /**
   * True if the login started Kurir this time, and not the owner. macOS passes no arguments and has
   * a property for it.
   */
  startedKurir(argv: readonly string[]): boolean
}

/** Starting with the computer's login, on all three systems. */
export function setupLoginItem({ app, platform, command, configFolder }: LoginItemDeps): LoginItem {
  return platform === 'linux' ? autostartFile(command, join(configFolder, 'autostart', 'kurir.desktop')) : systemItem()

  function systemItem(): LoginItem {
    const get = () => ({ enabled: app.getLoginItemSettings(command).openAtLogin })
    return {
      get,
      set(enabled) {
        app.setLoginItemSettings({ openAtLogin: enabled, ...command })
        return get()
      },
      startedKurir: (argv) => argv.includes(HIDDEN) || app.getLoginItemSettings(command).wasOpenedAtLogin,
    }
  }
}

function autostartFile({ path, args }: LoginItemDeps['command'], file: string): LoginItem {
  const get = () => ({ enabled: existsSync(file) })
  return {
    get,
    set(enabled) {
      if (enabled) {
        mkdirSync(dirname(file), { recursive: true })
        const exec = [path, ...args].map(quoted).join(' ')
        const entry = `[Desktop Entry]\nType=Application\nName=Kurir\nExec=${exec}\nTerminal=false\n`
        // Half of it would start nothing, and look switched on here.
        writeFileSync(`${file}.new`, entry, { flush: true })
        renameSync(`${file}.new`, file)
      } else {
        rmSync(file, { force: true })
      }
      return get()
    },
    startedKurir: (argv) => argv.includes(HIDDEN),
  }
}

/**
 * The desktop entry format: quotes around an argument, these four characters escaped, a percent
 * sign doubled.
 */
function quoted(argument: string): string {
  return `"${argument.replace(/(["`$\\])/g, '\\$1').replaceAll('%', '%%')}"`
}
