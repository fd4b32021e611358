import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
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
  /** Kurir is at another path now: an update has given its AppImage another name. */
  moved(path: string): void
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
      moved: () => undefined,
      startedKurir: (argv) => argv.includes(HIDDEN) || app.getLoginItemSettings(command).wasOpenedAtLogin,
    }
  }
}

function autostartFile(command: LoginItemDeps['command'], file: string): LoginItem {
  const get = () => ({ enabled: existsSync(file) })
  const execOf = (path: string) => `Exec=${[path, ...command.args].map(quoted).join(' ')}`

  function write(entry: string): void {
    // Half of it would start nothing, and look switched on here.
    writeFileSync(`${file}.new`, entry, { flush: true })
    renameSync(`${file}.new`, file)
  }

  function moved(path: string): void {
    try {
      const found = readFileSync(file, 'utf8')
      const entry = found.replace(/^Exec=.*$/m, () => execOf(path))
      if (entry !== found) write(entry)
    } catch {
      // There is none, or the disk is full: the next start tries again.
    }
  }

  moved(command.path)
  return {
    get,
    set(enabled) {
      if (enabled) {
        mkdirSync(dirname(file), { recursive: true })
        write(`[Desktop Entry]\nType=Application\nName=Kurir\n${execOf(command.path)}\nTerminal=false\n`)
      } else {
        rmSync(file, { force: true })
      }
      return get()
    },
    moved,
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
