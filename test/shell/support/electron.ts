import { EventEmitter } from 'node:events'
import type { BrowserWindowConstructorOptions, MenuItemConstructorOptions, MessageBoxOptions } from 'electron'
import type { ShellElectron } from '../../../main/electron.ts'
import type { SealedSession, SealedWindow } from '../../../main/passkey-window.ts'
import type { FromServer, ToServer } from '../../../server/contract/desktop.ts'

/** Electron as the shell sees it, with nothing behind it but a record of what was asked. Only Electron is faked. */

export class FakeServerChild extends EventEmitter {
  readonly received: unknown[] = []
  killed = false

  postMessage(message: unknown): void {
    this.received.push(message)
  }

  kill(): boolean {
    this.killed = true
    this.emit('exit', 0)
    return true
  }

  says(message: FromServer): void {
    this.emit('message', message)
  }

  hasReceived(type: ToServer['type']): boolean {
    return this.received.some((message) => (message as ToServer).type === type)
  }
}

export class FakeWindow extends EventEmitter {
  readonly webContents = new EventEmitter()
  readonly loaded: string[] = []
  readonly options: BrowserWindowConstructorOptions
  visible = false
  focused = false
  minimized = false
  maximized = false
  private destroyed = false

  constructor(options: BrowserWindowConstructorOptions = {}) {
    super()
    this.options = options
  }

  async loadURL(url: string): Promise<void> {
    this.mustLive()
    this.loaded.push(url)
    this.webContents.emit('did-finish-load')
    this.emit('ready-to-show')
  }

  show(): void {
    this.mustLive()
    this.visible = true
  }

  hide(): void {
    this.visible = false
  }

  focus(): void {
    this.focused = true
  }

  restore(): void {
    this.minimized = false
  }

  maximize(): void {
    this.maximized = true
  }

  isMinimized(): boolean {
    this.mustLive()
    return this.minimized
  }

  isMaximized = () => this.maximized
  getNormalBounds = () => ({ x: 10, y: 20, width: 900, height: 600 })

  /** The owner closes it. @returns whether the shell let that happen */
  closes(): boolean {
    this.destroyed = isAllowed((event) => this.emit('close', event))
    return this.destroyed
  }

  /** As Electron says it of one that was closed. */
  private mustLive(): void {
    if (this.destroyed) throw new TypeError('Object has been destroyed')
  }
}

/** The window that asks for a passkey, with its own session. */
export class FakeSealedWindow extends EventEmitter {
  readonly options: BrowserWindowConstructorOptions
  readonly loaded: string[] = []
  readonly scripts: string[] = []
  readonly answer = Promise.withResolvers<unknown>()
  destroyed = false
  readonly handlers: Handlers<SealedSession> & {
    request?: Parameters<SealedSession['webRequest']['onBeforeRequest']>[0]
    page?: Parameters<SealedSession['protocol']['handle']>[1]
  } = {}
  readonly webContents: SealedWindow['webContents'] = {
    session: {
      setPermissionRequestHandler: (handler) =>
        void Object.assign(this.handlers, { setPermissionRequestHandler: handler }),
      setPermissionCheckHandler: (handler) => void Object.assign(this.handlers, { setPermissionCheckHandler: handler }),
      setDevicePermissionHandler: (handler) =>
        void Object.assign(this.handlers, { setDevicePermissionHandler: handler }),
      protocol: { handle: (_scheme, handler) => void Object.assign(this.handlers, { page: handler }) },
      webRequest: { onBeforeRequest: (listener) => void Object.assign(this.handlers, { request: listener }) },
    },
    executeJavaScript: (script) => {
      this.scripts.push(script)
      return this.answer.promise
    },
  }

  constructor(options: BrowserWindowConstructorOptions) {
    super()
    this.options = options
  }

  async loadURL(url: string): Promise<void> {
    this.loaded.push(url)
  }

  destroy(): void {
    this.destroyed = true
  }
}

export class FakeNotification extends EventEmitter {
  readonly content: { title: string; body: string }
  shown = false

  constructor(content: { title: string; body: string }) {
    super()
    this.content = content
  }

  show(): void {
    this.shown = true
  }
}

export class FakeTray extends EventEmitter {
  image: string
  toolTip = ''
  menu: MenuItemConstructorOptions[] = []

  constructor(image: string) {
    super()
    this.image = image
  }

  setImage(path: string): void {
    this.image = path
  }

  setToolTip(text: string): void {
    this.toolTip = text
  }

  setContextMenu(menu: unknown): void {
    this.menu = menu as MenuItemConstructorOptions[]
  }

  labels(): (string | undefined)[] {
    return this.menu.filter((item) => item.type !== 'separator').map((item) => item.label)
  }

  choose(label: string): void {
    const item = this.menu.find((candidate) => candidate.label === label)
    if (!item?.click) throw new Error(`The tray's menu has no "${label}"`)
    ;(item.click as () => void)()
  }
}

export class FakeApp extends EventEmitter {
  readonly calls: string[] = []
  quits = 0
  isFirst = true
  languages = ['en-GB']
  loginItem = false
  openedByLogin: boolean = false
  readonly userData: string

  constructor(userData: string) {
    super()
    this.userData = userData
  }

  requestSingleInstanceLock(): boolean {
    this.calls.push('lock')
    return this.isFirst
  }

  async whenReady(): Promise<void> {
    this.calls.push('ready')
  }

  quit(): void {
    this.quits += 1
  }

  getPath = () => this.userData
  getVersion = () => '1.2.3'
  getPreferredSystemLanguages = () => this.languages
  setAppUserModelId(): void {}
  getLoginItemSettings = () => ({ openAtLogin: this.loginItem, wasOpenedAtLogin: this.openedByLogin })

  setLoginItemSettings(settings: { openAtLogin: boolean }): void {
    this.loginItem = settings.openAtLogin
  }
}

/** What the system's password store does. `reversed` stands for sealing: unreadable at a glance, and undone by itself. */
export class FakeSafeStorage {
  available: boolean = true
  backend: ReturnType<ShellElectron['safeStorage']['getSelectedStorageBackend']> = 'gnome_libsecret'
  /** Whether what was sealed can still be opened: not so on another computer. */
  knowsTheKey: boolean = true

  isAsyncEncryptionAvailable = async () => this.available
  getSelectedStorageBackend = () => this.backend
  encryptStringAsync = async (text: string) => Buffer.from([...text].reverse().join(''))

  async decryptStringAsync(sealed: Buffer): Promise<{ result: string; shouldReEncrypt: boolean }> {
    if (!this.knowsTheKey) throw new Error('Error while decrypting the ciphertext')
    return { result: [...sealed.toString()].reverse().join(''), shouldReEncrypt: false }
  }
}

type Handlers<T> = { [Name in keyof T]?: Parameters<Extract<T[Name], (...args: never[]) => unknown>>[0] }

/** @param userData a folder of the test's own */
export function createFakeElectron(userData: string) {
  const session: Handlers<ReturnType<ShellElectron['defaultSession']>> = {}
  const seen = {
    app: new FakeApp(userData),
    children: [] as FakeServerChild[],
    windows: [] as FakeWindow[],
    sealed: [] as FakeSealedWindow[],
    notifications: [] as FakeNotification[],
    trays: [] as FakeTray[],
    dialogs: [] as MessageBoxOptions[],
    /** Index of the button that the owner presses next. */
    pressed: 0,
    opened: [] as string[],
    power: new EventEmitter(),
    safeStorage: new FakeSafeStorage(),
    session,
    requestHeaders: undefined as
      | Parameters<ReturnType<ShellElectron['defaultSession']>['webRequest']['onBeforeSendHeaders']>[0]
      | undefined,
    ipc: new Map<string, Parameters<ShellElectron['ipcMain']['handle']>[1]>(),
  }
  const electron: ShellElectron = {
    app: seen.app,
    dialog: {
      async showMessageBox(options) {
        seen.dialogs.push(options)
        return { response: seen.pressed }
      },
    },
    ipcMain: { handle: (call, listener) => void seen.ipc.set(call, listener) },
    Menu: {
      // The template stands for the menu, so that tests can read and press it.
      buildFromTemplate: (template) => template as never,
      setApplicationMenu() {},
    },
    nativeTheme: { shouldUseDarkColors: false },
    powerMonitor: seen.power,
    safeStorage: seen.safeStorage,
    screen: { getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1040 } }] },
    shell: { openExternal: async (url) => void seen.opened.push(url) },
    defaultSession: () => ({
      setPermissionRequestHandler: (handler) => {
        session.setPermissionRequestHandler = handler
      },
      setPermissionCheckHandler: (handler) => {
        session.setPermissionCheckHandler = handler
      },
      setDevicePermissionHandler: (handler) => {
        session.setDevicePermissionHandler = handler
      },
      webRequest: {
        onBeforeSendHeaders: (listener) => {
          seen.requestHeaders = listener
        },
      },
    }),
    createWindow: (options) => added(seen.windows, new FakeWindow(options)),
    createSealedWindow: (options) => added(seen.sealed, new FakeSealedWindow(options)),
    createTray: (image) => added(seen.trays, new FakeTray(image)),
    createNotification: (content) => added(seen.notifications, new FakeNotification(content)),
    forkServer: () => added(seen.children, new FakeServerChild()),
  }
  return Object.assign(seen, { electron })
}

export type FakeElectron = ReturnType<typeof createFakeElectron>

/** Emits an event that can be refused. @returns whether nobody did */
export function isAllowed(emit: (event: { preventDefault(): void }) => void): boolean {
  let allowed = true
  emit({
    preventDefault() {
      allowed = false
    },
  })
  return allowed
}

function added<T>(list: T[], item: T): T {
  list.push(item)
  return item
}
