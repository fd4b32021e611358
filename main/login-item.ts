import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { LoginItemState } from '../server/contract/desktop.ts'
import { renameFileNow } from '../server/lib/sync-folder.ts'

/** Argument of a start at login, which opens no window and shows only the tray icon. */
export const HIDDEN = '--hidden'

/** The part of Electron's App that this module uses. */
export interface LoginItemApp {
  getLoginItemSettings(options: { path: string; args: string[] }): { openAtLogin: boolean; wasOpenedAtLogin: boolean }
  setLoginItemSettings(settings: { openAtLogin: boolean; path: string; args: string[] }): void
}

export interface LoginItemDeps {
  app: LoginItemApp
  platform: NodeJS.Platform
  /**
   * Command that starts Kurir. In an AppImage this is the AppImage itself, because its content is
   * mounted at another path each time.
   */
  command: { path: string; args: string[] }
  /** `~/.config` on Linux, where Electron has no login item and desktops read files instead. */
  configFolder: string
}

export interface LoginItem {
  get(): LoginItemState
  set(enabled: boolean): LoginItemState
  /** Writes Kurir's new path into the login item: an update may rename the AppImage. */
  moved(path: string): void
  /**
   * True if the login started this run, and not the owner. macOS passes no arguments, and has a
   * property for this instead.
   */
  startedKurir(argv: readonly string[]): boolean
}

/** Controls the start at login, on Windows, macOS and Linux. */
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
    // Replace the file in one step: half a file would start nothing, but count as enabled.
    writeFileSync(`${file}.new`, entry, { flush: true })
    renameFileNow(`${file}.new`, file)
  }

  function moved(path: string): void {
    try {
      const found = readFileSync(file, 'utf8')
      const entry = found.replace(/^Exec=.*$/m, () => execOf(path))
      if (entry !== found) write(entry)
    } catch {
      // There is no file, or the disk is full. The next start tries again.
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
 * Quotes an argument for a desktop entry: in double quotes, with these four characters escaped and
 * percent signs doubled.
 */
function quoted(argument: string): string {
  return `"${argument.replace(/(["`$\\])/g, '\\$1').replaceAll('%', '%%')}"`
}
