import type { BrowserWindowConstructorOptions, Rectangle } from 'electron'
import { originOf } from './guard.ts'
import type { Memory } from './memory.ts'
import type { Schedule } from './schedule.ts'
import { placeWindow } from './window-state.ts'

/** Pause before a crashed page is loaded again, because it may crash on each load. */
const RELOAD_AFTER_MS = 1_000
/** Chromium's code for a load that was aborted on purpose, for example by a download. */
const ABORTED = -3

/** The part of Electron's BrowserWindow that this module uses. */
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
  /** True if the login started Kurir; the window is then shown only when the owner asks for it. */
  hidden: boolean
  isLeaving(): boolean
  /** Called when the owner closes the window, which only hides it. */
  onHidden(): void
  /** Called when Windows ends the session, which does not wait for an orderly quit. */
  onSessionEnd(): void
}

export type MainWindow = ReturnType<typeof setupWindow>

/** Controls the only window. It is created when the server is first ready; closing it hides it. */
export function setupWindow(deps: WindowDeps) {
  let window: ShellWindow | undefined
  let home = ''
  /** True once a page is loaded. A loaded page reconnects by itself, so it need not be reloaded. */
  let loaded = false
  /** True if the owner wants to see the window. Read when its first frame is ready. */
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
        // The window is destroyed, while the server may still finish a send.
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
    // `did-fail-load` reports failures, and the next start of the server loads the page again.
    window?.loadURL(url).catch(() => {})
  }

  function show(): void {
    wanted = true
    if (!window) return
    // Maximize here and not at creation, because maximizing shows a window, and a new one may be
    // hidden or have no frame yet.
    if (maximize) window.maximize()
    maximize = false
    if (window.isMinimized()) window.restore()
    window.show()
    window.focus()
  }

  return {
    show,
    /**
     * Must be called when the server is ready: at first, after a crash, or at another port.
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
