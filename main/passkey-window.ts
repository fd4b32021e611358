import type { BrowserWindowConstructorOptions } from 'electron'
import type { GuardedSession } from './guard.ts'
import { answerIn, isInsideWhatsApp, mayUse, questionFor } from './passkey-guard.ts'
import type { Schedule } from './schedule.ts'

/** WhatsApp waits this long for a passkey; milliseconds. */
const LIVES_MS = 600_000

/** The part of Electron's Session that the sealed window uses. */
export interface SealedSession extends GuardedSession {
  protocol: { handle(scheme: string, handler: (request: { url: string }) => Response): void }
  webRequest: {
    onBeforeRequest(listener: (details: { url: string }, decide: (decision: { cancel: boolean }) => void) => void): void
  }
}

/** The part of Electron's BrowserWindow that the sealed window uses. */
export interface SealedWindow {
  loadURL(url: string): Promise<void>
  destroy(): void
  on(event: 'closed', listener: () => void): unknown
  webContents: {
    session: SealedSession
    executeJavaScript(script: string, userGesture: boolean): Promise<unknown>
  }
}

export interface PasskeyWindowDeps {
  createWindow(options: BrowserWindowConstructorOptions): SealedWindow
  schedule: Schedule
  newPartition(): string
  text(): string
}

/** Asks the system for a passkey; resolves with the answer, or null if none came. */
export type PasskeyWindow = (options: unknown) => Promise<unknown>

/**
 * Creates the function that asks in a window on WhatsApp's origin, because the system binds a
 * passkey to that origin. Nothing is fetched from WhatsApp: the window's only page is made here.
 * The system shows its own dialogue.
 */
export function createPasskeyWindow(deps: PasskeyWindowDeps): PasskeyWindow {
  let isOpen = false
  return async (options) => {
    const question = questionFor(options)
    if (question === null || isOpen) return null
    isOpen = true
    const window = deps.createWindow(optionsOf(deps.newPartition()))
    seal(window.webContents.session, question.page, pageWith(deps.text()))
    const over = Promise.withResolvers<null>()
    window.on('closed', () => over.resolve(null))
    const cancel = deps.schedule(LIVES_MS, () => over.resolve(null))
    const asked = window
      .loadURL(question.page)
      .then(() => window.webContents.executeJavaScript(question.script, true))
      .then(answerIn)
      // The owner closed the system's dialogue, or there is no such passkey.
      .catch(() => null)
    try {
      return await Promise.race([asked, over.promise])
    } finally {
      cancel()
      isOpen = false
      window.destroy()
    }
  }
}

const optionsOf = (partition: string): BrowserWindowConstructorOptions => ({
  width: 480,
  height: 320,
  title: 'WhatsApp',
  minimizable: false,
  maximizable: false,
  fullscreenable: false,
  autoHideMenuBar: true,
  webPreferences: {
    // The partition is in memory and ends with the window.
    partition,
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

function seal(session: SealedSession, page: string, html: string): void {
  session.setPermissionRequestHandler((_contents, permission, answer) => answer(mayUse(permission)))
  session.setPermissionCheckHandler((_contents, permission) => mayUse(permission))
  session.setDevicePermissionHandler(() => false)
  session.webRequest.onBeforeRequest(({ url }, decide) => decide({ cancel: !isInsideWhatsApp(url) }))
  session.protocol.handle('https', ({ url }) =>
    url === page
      ? new Response(html, {
          headers: {
            'content-type': 'text/html; charset=utf-8',
            'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
          },
        })
      : new Response(null, { status: 404 }),
  )
}

/** @param text our own words, which need no escaping */
const pageWith = (text: string): string =>
  `<!doctype html><meta charset="utf-8"><title>WhatsApp</title><body style="font: 16px system-ui; margin: 32px"><p>${text}</p>`
