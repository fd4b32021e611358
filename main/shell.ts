import { join } from 'node:path'
import type { Attention, Language } from '../server/contract/desktop.ts'
import { setupBridge } from './bridge.ts'
import type { ShellElectron, ShellSystem } from './electron.ts'
import { originOf, setupGuard } from './guard.ts'
import { setupLoginItem } from './login-item.ts'
import { createMemory } from './memory.ts'
import { applicationMenu } from './menu.ts'
import { setupNotices } from './notices.ts'
import { setupOwnerAccess } from './owner-access.ts'
import { createPasskeyWindow } from './passkey-window.ts'
import { setupPower } from './power.ts'
import { setupQuit } from './quit.ts'
import { createServerProcess } from './server-process.ts'
import { setupSingleInstance } from './single-instance.ts'
import { setupTray } from './tray.ts'
import { setupUpdates } from './updates.ts'
import { openVault, VaultError } from './vault.ts'
import { type MainWindow, setupWindow } from './window.ts'
import { systemLanguage, wordsFor } from './words.ts'

/**
 * Starts the desktop shell. Settles when all parts are up; the window appears when the server is
 * ready.
 */
export async function startShell(electron: ShellElectron, system: ShellSystem): Promise<void> {
  const { app } = electron
  const { platform, schedule } = system
  const folder = app.getPath('userData')
  const icons = join(system.dist, 'main', 'icons')

  let window: MainWindow | undefined
  let isAskedFor = false
  const askedFor = () => {
    isAskedFor = true
    window?.show()
  }
  if (!setupSingleInstance(app, askedFor)) return

  await app.whenReady()
  app.setAppUserModelId('com.kurir.desktop')
  const menu = applicationMenu(platform)
  electron.Menu.setApplicationMenu(menu && electron.Menu.buildFromTemplate(menu))

  let attention: Omit<Attention, 'type'> = { language: localLanguage(), paused: false, items: [] }
  let crashed = false
  let origin: string | null = null
  const ownOrigin = () => origin
  const words = () => wordsFor(attention.language)

  const vaultDeps = { safeStorage: electron.safeStorage, platform, folder, randomBytes: system.randomBytes }
  const vault = await openVault(vaultDeps).catch(showVaultError)
  if (!vault) return app.quit()

  // Each server process gets a new token, because the window may have sent the token of a dead one
  // to a program that took its port.
  let ownerToken = ''
  let isReady = false
  /** Newest wish for all senders that came while no server was ready. */
  let wish: 'pause-all' | 'resume-all' | undefined
  const forAll = (type: NonNullable<typeof wish>) => {
    if (isReady) server.send({ type })
    else wish = type
  }
  // An empty variable counts as absent, as in the server.
  const home = system.env.KURIR_HOME || join(folder, 'data')
  const server = createServerProcess({
    fork: electron.forkServer,
    init() {
      ownerToken = system.env.KURIR_OWNER_TOKEN || system.randomBytes(32).toString('hex')
      return { vaultKeyHex: vault.keyHex, ownerToken, home }
    },
    schedule,
    onReady(url) {
      origin = originOf(url)
      isReady = true
      crashed = false
      if (wish !== undefined) server.send({ type: wish })
      wish = undefined
      window?.serverReady(url)
      reportUpdate()
      showTray()
    },
    onGone() {
      isReady = false
    },
    onAttention(next) {
      attention = next
      notices.showNew(next.items)
      showTray()
    },
    onCrash() {
      crashed = true
      notices.show(words().crashed)
      showTray()
    },
    onFailed: (message) => void offerAnotherStart(message ?? words().keepsFailing),
  })

  const quit = setupQuit(app, server.stop)
  const memory = createMemory(join(folder, 'shell.json'))
  const notices = setupNotices({
    createNotification: electron.createNotification,
    openPage: (page) => window?.openPage(page),
  })
  const updates = setupUpdates({
    updater: await system.loadUpdater(),
    schedule,
    onChange() {
      reportUpdate()
      showTray()
    },
    onMoved: (path) => loginItem.moved(path),
    leave: quit.leave,
    quit: () => app.quit(),
  })
  const loginItem = setupLoginItem({ app, platform, command: system.command, configFolder: app.getPath('appData') })
  const tray = setupTray({
    createTray: electron.createTray,
    buildMenu: (template) => electron.Menu.buildFromTemplate(template),
    iconFolder: icons,
    platform,
    actions: {
      open: () => window?.show(),
      pauseAll: () => forAll('pause-all'),
      resumeAll: () => forAll('resume-all'),
      installUpdate: () => void updates.install(),
      quit: () => void quit.leave(),
    },
  })
  const session = electron.defaultSession()
  setupGuard({
    app,
    session,
    ownOrigin,
    openInBrowser: (url) => void electron.shell.openExternal(url).catch(() => undefined),
  })
  setupOwnerAccess(
    session.webRequest,
    () => ownerToken,
    () => (isReady ? origin : null),
  )
  setupBridge({
    ipc: electron.ipcMain,
    ownOrigin,
    loginItem,
    updates,
    confirmPasskey: createPasskeyWindow({
      createWindow: electron.createSealedWindow,
      schedule,
      newPartition: () => `passkey-${system.randomBytes(8).toString('hex')}`,
      text: () => words().passkey,
    }),
  })
  setupPower(electron.powerMonitor, server.send, () => void quit.leave())
  window = setupWindow({
    createWindow: electron.createWindow,
    workAreas: () => electron.screen.getAllDisplays().map((display) => display.workArea),
    memory,
    schedule,
    preload: join(system.dist, 'main', 'preload.cjs'),
    icon: join(icons, 'app.png'),
    version: app.getVersion(),
    dark: electron.nativeTheme.shouldUseDarkColors,
    hidden: loginItem.startedKurir(system.argv) && !isAskedFor,
    isLeaving: quit.isLeaving,
    onHidden: () => memory.once('tray', () => notices.show(words().keepsRunning)),
    onSessionEnd: () => void server.stop(),
  })

  showTray()
  if (!vault.sealed) memory.once('vault', () => notices.show(words().noPasswordStore))
  server.start()

  function showTray(): void {
    const { paused, items } = attention
    tray.show({ words: words(), paused, attention: items.length + (crashed ? 1 : 0), update: updates.get() })
  }

  function reportUpdate(): void {
    const update = updates.get()
    if (update.state === 'ready') server.send({ type: 'update-ready', version: update.version })
  }

  function localLanguage(): Language {
    return systemLanguage(app.getPreferredSystemLanguages()[0] ?? 'en')
  }

  async function showVaultError(error: unknown): Promise<null> {
    if (!(error instanceof VaultError)) throw error
    const { cannotStart, vault: reasons, quit: leave } = words()
    const detail = reasons[error.reason](error.file)
    await electron.dialog.showMessageBox({ type: 'error', message: cannotStart, detail, buttons: [leave] })
    return null
  }

  async function offerAnotherStart(detail: string): Promise<void> {
    const { cannotStart, tryAgain, quit: leave } = words()
    const buttons = [tryAgain, leave]
    const { response } = await electron.dialog.showMessageBox({
      type: 'error',
      message: cannotStart,
      detail,
      buttons,
      cancelId: 1,
    })
    if (response === 0) server.start()
    else await quit.leave()
  }
}
