import type { BrowserWindowConstructorOptions, Rectangle } from 'electron'
import { originOf } from './guard.ts'
import type { Memory } from './memory.ts'
import type { Schedule } from './schedule.ts'
import { placeWindow } from './window-state.ts'

/** A page that dies while it loads must not be loaded in an endless rush. */
const RELOAD_AFTER_MS = 1_000
/** Chromium's code for a load that was given up on purpose, a download for one. */
const ABORTED = -3

/** The part of Electron's BrowserWindow that is used. */
export interface ShellWindow {
  loadURL(url: string): Promise<void>
  show(): void
  hide(): void
  focus(): void
  restore(): void
  maximize(): void
  isMinimized(): boolean
  isMaximized(): boolean
  getNormalBounds(): Rectangle
  on(event: 'ready-to-show' | 'session-end', listener: () => void): unknown
  on(event: 'close', listener: (event: { preventDefault(): void }) => void): unknown
  webContents: {
    on(event: 'render-process-gone' | 'did-finish-load', listener: () => void): unknown
    on(
      event: 'did-fail-load',
      listener: (event: unknown, code: number, description: string, url: string, isMainFrame: boolean) => void,
    ): unknown
  }
}

export interface WindowDeps {
  createWindow(options: BrowserWindowConstructorOptions): ShellWindow
  workAreas(): Rectangle[]
  memory: Memory
  schedule: Schedule
  preload: string
  icon: string
  version: string
  dark: boolean
  /** Started by the computer's login: the window waits until it is asked for. */
  hidden: boolean
  isLeaving(): boolean
  /** Called when closing the window only hid it. */
  onHidden(): void
  /** Windows ends the session and does not wait for an orderly quit. */
  onSessionEnd(): void
}

export type MainWindow = ReturnType<typeof setupWindow>

/** The one window. It is made with the first address of the server; closing hides it. */
export function setupWindow(deps: WindowDeps) {
  let window: ShellWindow | undefined
  let home = ''
  /** True once the pages are there. They reconnect by themselves; a page that never came cannot. */
  let loaded = false
  /** True if the owner wants to see it: decides when its first picture is there. */
  let wanted = !deps.hidden
  let maximize = false

  function create(): ShellWindow {
    const remembered = deps.memory.window()
    const created = deps.createWindow({
      ...placeWindow(remembered, deps.workAreas()),
      minWidth: 800,
      minHeight: 560,
      title: 'Kurir',
      icon: deps.icon,
      show: false,
      backgroundColor: deps.dark ? '#1b1c20' : '#f7f7f5',
      webPreferences: {
        preload: deps.preload,
        additionalArguments: [`--kurir-version=${deps.version}`],
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        nodeIntegrationInWorker: false,
        nodeIntegrationInSubFrames: false,
        webviewTag: false,
        webSecurity: true,
        allowRunningInsecureContent: false,
        navigateOnDragDrop: false,
        spellcheck: false,
      },
    })
    maximize = remembered?.maximized ?? false
    created.on('ready-to-show', () => {
      if (wanted) show()
    })
    created.on('session-end', deps.onSessionEnd)
    created.on('close', (event) => {
      deps.memory.rememberWindow({ bounds: created.getNormalBounds(), maximized: created.isMaximized() })
      if (deps.isLeaving()) {
        // It is gone, while the server may still finish a send.
        window = undefined
        return
      }
      event.preventDefault()
      wanted = false
      created.hide()
      deps.onHidden()
    })
    created.webContents.on('did-finish-load', () => {
      loaded = true
    })
    created.webContents.on('did-fail-load', (_event, code, _description, _url, isMainFrame) => {
      if (isMainFrame && code !== ABORTED) loaded = false
    })
    created.webContents.on('render-process-gone', () => deps.schedule(RELOAD_AFTER_MS, () => load(home)))
    return created
  }

  function load(url: string): void {
    loaded = false
    // A failure comes as `did-fail-load`, and the next start of the server loads again.
    window?.loadURL(url).catch(() => {})
  }

  function show(): void {
    wanted = true
    if (!window) return
    // Not when it is made: maximizing shows a window, and this one may be made hidden and without a
    // picture yet.
    if (maximize) window.maximize()
    maximize = false
    if (window.isMinimized()) window.restore()
    window.show()
    window.focus()
  }

  return {
    show,
    /**
     * The server is ready at this address: the first time, again after a crash, or at another port.
     */
    serverReady(url: string): void {
      const moved = originOf(url) !== originOf(home)
      home = url
      window ??= create()
      if (moved || !loaded) load(home)
    },
    openPage(page: string): void {
      show()
      if (home) load(new URL(page, home).href)
    },
  }
}
