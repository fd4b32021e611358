import { describe, expect, test } from 'vitest'
import { answerIn, isInsideWhatsApp, questionFor } from '../../main/passkey-guard.ts'
import { openShell, SERVER_URL, settle } from './support/shell.ts'

const OPTIONS = { challenge: 'Y2hhbGxlbmdl', rpId: 'whatsapp.com', allowCredentials: [], userVerification: 'required' }
const PAGE = 'https://web.whatsapp.com/'

const OUTSIDE = [
  'https://example.org/',
  'https://whatsapp.com.example.org/',
  'https://notwhatsapp.com/',
  'https://web.whatsapp.com@example.org/',
  'https://user@web.whatsapp.com/',
  'https://web.whatsapp.com:8443/',
  'http://web.whatsapp.com/',
  'wss://web.whatsapp.com/',
  'file:///etc/passwd',
  'data:text/html,x',
  'about:blank',
  'whatsapp.com',
]

describe('the decisions of the sealed window', () => {
  test('inside whatsapp.com is what is at WhatsApp, and nothing that looks like it', () => {
    expect([PAGE, 'https://whatsapp.com/', 'https://www.whatsapp.com/a?b'].filter(isInsideWhatsApp)).toHaveLength(3)
    expect(OUTSIDE.filter(isInsideWhatsApp)).toEqual([])
  })

  test('a passkey is asked for on WhatsApp’s origin, with its options as they are', () => {
    expect(questionFor(OPTIONS)).toEqual({
      page: PAGE,
      script: expect.stringContaining(`parseRequestOptionsFromJSON(${JSON.stringify(OPTIONS)})`),
    })
    expect(questionFor({ ...OPTIONS, rpId: 'web.whatsapp.com' })?.page).toBe(PAGE)
  })

  test.each([
    ...['example.org', 'whatsapp.com.example.org', 'notwhatsapp.com', 'web.whatsapp.com/../x', 'a@web.whatsapp.com'],
    ...['web.whatsapp.com:8443', '', 7, undefined],
  ])('for %s nothing is asked', (rpId) => {
    expect(questionFor({ ...OPTIONS, rpId })).toBeNull()
  })

  test.each([null, 'text', 7, { ...OPTIONS, extensions: 'x'.repeat(20_000) }])(
    'nor for options like these',
    (options) => {
      expect(questionFor(options)).toBeNull()
    },
  )

  test('an answer is JSON of a bounded length', () => {
    expect(answerIn('{"id":"x"}')).toEqual({ id: 'x' })
    for (const other of [undefined, 7, '{', `"${'x'.repeat(70_000)}"`]) expect(answerIn(other)).toBeNull()
  })
})

async function asked(options: unknown = OPTIONS) {
  const shell = await openShell()
  shell.serverGetsReady()
  const ask = () =>
    shell.fake.ipc.get('passkey:confirm')?.(
      { senderFrame: { url: `${SERVER_URL}/senders` } },
      options,
    ) as Promise<unknown>
  const timersBefore = shell.timers.pending()
  const answer = ask()
  await settle()
  return { shell, ask, answer, timersBefore, window: shell.fake.sealed[0] }
}

describe('the window that asks for a passkey', () => {
  test('is sealed: no preload, no Node, a session of its own in memory, no permission, nothing from the network', async () => {
    const { window } = await asked()
    const { preload, partition, ...preferences } = window?.options.webPreferences ?? {}
    expect(preload).toBeUndefined()
    expect(partition).toMatch(/^passkey-[0-9a-f]{16}$/)
    expect(preferences).toMatchObject({
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
    })
    expect(window?.loaded).toEqual([PAGE])
    const { handlers } = window ?? {}
    for (const permission of ['media', 'hid', 'usb', 'openExternal', 'clipboard-sanitized-write']) {
      expect(handlers?.setPermissionCheckHandler?.({}, permission, PAGE)).toBe(false)
      handlers?.setPermissionRequestHandler?.({}, permission, (granted) => expect(granted).toBe(false), {
        requestingUrl: PAGE,
      })
    }
    expect(handlers?.setDevicePermissionHandler?.()).toBe(false)
    const isCancelled = (url: string) => {
      let cancelled: boolean | undefined
      handlers?.request?.({ url }, ({ cancel }) => {
        cancelled = cancel
      })
      return cancelled
    }
    expect(isCancelled(PAGE)).toBe(false)
    expect(OUTSIDE.map(isCancelled)).toEqual(OUTSIDE.map(() => true))
    const page = handlers?.page?.({ url: PAGE })
    expect(page?.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(await page?.text()).not.toContain('<script')
    expect(handlers?.page?.({ url: `${PAGE}app.js` }).status).toBe(404)
  })

  test('gives the answer of the system to the page, and is gone', async () => {
    const { shell, answer, window, timersBefore } = await asked()
    expect(window?.scripts).toEqual([questionFor(OPTIONS)?.script])
    window?.answer.resolve('{"id":"x"}')
    expect(await answer).toEqual({ id: 'x' })
    expect(window?.destroyed).toBe(true)
    expect(shell.timers.pending()).toBe(timersBefore)
  })

  test.each<[string, (it: Awaited<ReturnType<typeof asked>>) => void]>([
    ['the owner cancels in the system’s dialogue', ({ window }) => window?.answer.reject(new Error('NotAllowedError'))],
    ['the owner closes it', ({ window }) => window?.emit('closed')],
    ['ten minutes are over', ({ shell }) => shell.timers.advance(600_000)],
  ])('gives nothing when %s, and is gone', async (_when, happens) => {
    const it = await asked()
    happens(it)
    expect(await it.answer).toBeNull()
    expect(it.window?.destroyed).toBe(true)
  })

  test('is one at a time, and may be asked for again', async () => {
    const { shell, ask, answer, window } = await asked()
    expect(await ask()).toBeNull()
    window?.answer.resolve('{}')
    await answer
    void ask()
    await settle()
    expect(shell.fake.sealed).toHaveLength(2)
  })

  test('is not opened for another relying party', async () => {
    const { shell, answer } = await asked({ ...OPTIONS, rpId: 'example.org' })
    expect(await answer).toBeNull()
    expect(shell.fake.sealed).toEqual([])
  })
})
