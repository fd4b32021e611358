import { EventEmitter } from 'node:events'
import { describe, expect, test } from 'vitest'
import type { GuardedContents } from '../../main/guard.ts'
import { isAllowed } from './support/electron.ts'
import { OWNER_TOKEN, openShell, SERVER_URL } from './support/shell.ts'

const FOREIGN = [
  'https://example.com/',
  'http://127.0.0.1:7421/',
  'http://localhost:7420/',
  'http://127.0.0.1:7420.example.com/',
  'http://127.0.0.1:7420@example.com/',
  'file:///etc/passwd',
  'data:text/html,<script>alert(1)</script>',
  'javascript:alert(1)',
  'about:blank',
]

/** A page as Electron announces it. */
class FakeContents extends EventEmitter implements GuardedContents {
  open: Parameters<GuardedContents['setWindowOpenHandler']>[0] = () => {
    throw new Error('Nobody handles popups')
  }

  setWindowOpenHandler(handler: typeof this.open): void {
    this.open = handler
  }
}

async function openPage() {
  const shell = await openShell()
  shell.serverGetsReady()
  const contents = new FakeContents()
  shell.fake.app.emit('web-contents-created', {}, contents)
  return { shell, contents }
}

describe('navigation', () => {
  for (const event of ['will-navigate', 'will-redirect', 'will-frame-navigate']) {
    test(`${event} stays with the server`, async () => {
      const { contents } = await openPage()
      const mayGo = (url: string) => isAllowed((refusal) => contents.emit(event, Object.assign(refusal, { url })))
      expect(mayGo(`${SERVER_URL}/messages?status=failed`)).toBe(true)
      expect(FOREIGN.filter(mayGo)).toEqual([])
    })
  }

  test('goes nowhere before there is a server', async () => {
    const shell = await openShell()
    const contents = new FakeContents()
    shell.fake.app.emit('web-contents-created', {}, contents)
    for (const url of [SERVER_URL, 'about:blank', 'data:,']) {
      expect(isAllowed((refusal) => contents.emit('will-navigate', Object.assign(refusal, { url })))).toBe(false)
    }
  })
})

describe('popups', () => {
  test('are denied; a secure link opens in the browser', async () => {
    const { shell, contents } = await openPage()
    for (const url of [...FOREIGN, SERVER_URL]) expect(contents.open({ url })).toEqual({ action: 'deny' })
    expect(shell.fake.opened).toEqual(['https://example.com/'])
  })

  test('webviews are not attached', async () => {
    const { contents } = await openPage()
    expect(isAllowed((refusal) => contents.emit('will-attach-webview', refusal))).toBe(false)
  })
})

describe('permissions', () => {
  test("are denied, but copying text from the server's own pages", async () => {
    const { shell } = await openPage()
    const { setPermissionRequestHandler: request, setPermissionCheckHandler: check } = shell.fake.session
    const ask = (permission: string, requestingUrl: string) => {
      let answer: boolean | undefined
      request?.(
        {},
        permission,
        (granted) => {
          answer = granted
        },
        { requestingUrl },
      )
      return [answer, check?.({}, permission, requestingUrl)]
    }
    expect(ask('clipboard-sanitized-write', `${SERVER_URL}/api-keys`)).toEqual([true, true])
    expect(ask('clipboard-sanitized-write', 'https://example.com/')).toEqual([false, false])
    for (const permission of ['media', 'geolocation', 'notifications', 'clipboard-read', 'openExternal', 'usb']) {
      expect(ask(permission, SERVER_URL)).toEqual([false, false])
    }
  })

  test('no device is ever handed to a page', async () => {
    const { shell } = await openPage()
    expect(shell.fake.session.setDevicePermissionHandler?.()).toBe(false)
  })
})

describe("the owner's token", () => {
  const headersOf = (shell: Awaited<ReturnType<typeof openShell>>, url: string) => {
    let sent: Record<string, string> | undefined
    shell.fake.requestHeaders?.({ url, requestHeaders: { Accept: '*/*' } }, (changed) => {
      sent = changed.requestHeaders
    })
    return sent
  }

  test('goes to the server in a header, and to nobody else', async () => {
    const { shell } = await openPage()
    const bearer = { Accept: '*/*', Authorization: `Bearer ${OWNER_TOKEN}` }
    expect(headersOf(shell, `${SERVER_URL}/api/senders`)).toEqual(bearer)
    for (const url of FOREIGN) expect(headersOf(shell, url)).toEqual({ Accept: '*/*' })
  })

  test('goes nowhere before the server is ready', async () => {
    const shell = await openShell()
    expect(headersOf(shell, SERVER_URL)).toEqual({ Accept: '*/*' })
  })

  test('goes nowhere while the server is gone, and is another one when it is back', async () => {
    const fills = [1, 2, 3, 4]
    const shell = await openShell(undefined, { randomBytes: (size) => Buffer.alloc(size, fills.shift()) })
    shell.serverGetsReady()
    const first = headersOf(shell, SERVER_URL)
    expect(first?.Authorization).toMatch(/^Bearer [0-9a-f]{64}$/)
    shell.server().emit('exit', 1)
    expect(headersOf(shell, SERVER_URL)).toEqual({ Accept: '*/*' })
    shell.timers.advance(60_000)
    shell.serverGetsReady()
    const second = headersOf(shell, SERVER_URL)
    expect(second?.Authorization).toMatch(/^Bearer [0-9a-f]{64}$/)
    expect(second).not.toEqual(first)
    shell.server().says({ type: 'restarting' })
    expect(headersOf(shell, SERVER_URL)).toEqual({ Accept: '*/*' })
    shell.serverGetsReady()
    expect(headersOf(shell, SERVER_URL)).toEqual(second)
  })

  test('stands in no address', async () => {
    const { shell } = await openPage()
    expect(shell.window().loaded.join()).not.toContain(OWNER_TOKEN)
  })
})

describe('the bridge', () => {
  test('answers the pages of the server only', async () => {
    const { shell } = await openPage()
    const ask = (url: string | null, argument?: unknown) => () =>
      shell.fake.ipc.get('login-item:set')?.({ senderFrame: url === null ? null : { url } }, argument)
    for (const url of [...FOREIGN, null]) expect(ask(url, true)).toThrow('login-item:set is not for')
    expect(shell.fake.app.loginItem).toBe(false)
    expect(ask(`${SERVER_URL}/settings`, true)()).toEqual({ enabled: true })
    expect(ask(`${SERVER_URL}/settings`, 'yes')()).toEqual({ enabled: false })
  })
})
