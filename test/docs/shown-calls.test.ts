import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CONCERN_CODES } from '../../server/contract/concerns.ts'
import { FAILURE_CODES } from '../../server/contract/failures.ts'
import { SANDBOX, startApp } from '../support/app.ts'
import { axeFindings, describeWindow, openWindow, PHONE, startWindowApp } from '../support/browser.ts'
import { temporaryFolder } from '../support/folder.ts'
import { hasProgram, run } from '../support/run.ts'
import { samples } from '../support/samples.ts'

/** Stands for the id of the reader's message. */
const EXAMPLE_ID = '01a1feab-e730-7000-9982-5ab6c206febe'

const unescaped = (html: string): string =>
  html.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))

/** The calls that `/docs` shows of an operation, by language. */
function callsOf(page: string, operation: string): Map<string, string> {
  const [, section = ''] = new RegExp(`<section id="${operation}">([\\s\\S]*?)</section>`).exec(page) ?? []
  const tabs = section.matchAll(/<input type="radio"[^>]*> (\w+)<\/label><pre[^>]*>([\s\S]*?)<\/pre>/g)
  return new Map([...tabs].map(([, language = '', code = '']) => [language, unescaped(code)]))
}

const LANGUAGES = [
  { language: 'curl', program: 'bash', file: 'call.sh', wrap: (code: string) => `${code} --silent -w ' %{http_code}'` },
  { language: 'PHP', program: 'php', file: 'call.php', wrap: (code: string) => `<?php\n${code}` },
  { language: 'Python', program: 'python3', file: 'call.py', wrap: (code: string) => code },
  { language: 'JavaScript', program: process.execPath, file: 'call.mjs', wrap: (code: string) => code },
]
test.each(LANGUAGES.filter(({ program }) => program === process.execPath || hasProgram(program)))(
  'a call in $language is accepted as /docs shows it',
  async ({ language, program, file, wrap }) => {
    const app = await startApp()
    const { text } = await app.fetch('/docs')
    const key = await app.key({ sender: SANDBOX })
    const path = join(temporaryFolder(), file)
    for (const operation of ['sendMessage', 'listMessages']) {
      const code = callsOf(text, operation).get(language) ?? ''
      expect(code).toContain('http://127.0.0.1:7420/')
      writeFileSync(path, wrap(code.replaceAll('http://127.0.0.1:7420', app.url)))
      const ended = await run([program, path], { env: { PATH: process.env.PATH, KURIR_KEY: key, LC_ALL: 'C.UTF-8' } })
      expect(ended, operation).toMatchObject({ code: 0, err: '' })
      expect(ended.out).toContain('"success":true')
      expect(ended.out).toMatch(/\b200\b/)
    }
    expect((await app.owner<unknown[]>('/messages')).body.data).toHaveLength(1)
  },
)

// A form with a file, a file from a shop that is not there, a message that has left, and calls that
// are there to refuse.
const ASKS_FOR_MORE = [
  'cloudPhoneNumberIdMedia',
  ...['Image', 'File', 'Video', 'Voice'].map((what) => `wahaApiSend${what}`),
  ...[
    'cancelMessage',
    'changeMessage',
    'fonnteCall',
    'wahaApiAction',
    'putWablasApiScheduleCancelId',
    'putWahaApiSessionsSession',
    'wablasApiScheduleId',
  ],
  ...['', 'Session', 'SessionAction'].map((path) => `wahaApiSessions${path}`),
]

test.skipIf(!hasProgram('sh') || !hasProgram('curl'))(
  'each call of programs works on a fresh Kurir as /docs shows it',
  async () => {
    const app = await startApp()
    const gateways = ['fonnte', 'panel', 'wablas', 'waha', 'cloud'].map((name) => [`compat_${name}`, true])
    await app.owner('/api/settings', { method: 'PATCH', body: Object.fromEntries(gateways) })
    // Other gateways' calls name none.
    await app.sender('linked')
    const { text } = await app.fetch('/docs')
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'invoice.pdf'), samples.pdf)
    const env = { PATH: process.env.PATH, KURIR_KEY: await app.key(), LC_ALL: 'C.UTF-8' }
    const operations = [...text.matchAll(/<section id="(\w+)">/g)].map(([, operation = '']) => operation)
    const refused: string[] = []
    let sent: string | undefined
    for (const operation of operations) {
      const code = callsOf(text, operation).get('curl')
      if (code === undefined) continue
      const call = code.replaceAll('http://127.0.0.1:7420', app.url).replaceAll(EXAMPLE_ID, sent ?? EXAMPLE_ID)
      const { out, err } = await run(['sh', '-c', `${call} --silent --show-error -w '\n%{http_code}'`], {
        env,
        cwd: folder,
      })
      const status = Number(out.split('\n').at(-1))
      if (status < 200 || status > 299) refused.push(`${operation}: ${status} ${err}`)
      sent ??= (JSON.parse(out.slice(0, out.lastIndexOf('\n'))) as { data: { id: string } }).data.id
    }
    expect(operations.indexOf('sendMessage')).toBe(0)
    expect(refused.filter((call) => !ASKS_FOR_MORE.includes(call.split(':')[0] ?? ''))).toEqual([])
  },
  180_000,
)

test('/docs says what every failure of a message means, and what to do', async () => {
  const { text } = await (await startApp()).fetch('/docs')
  for (const code of FAILURE_CODES)
    expect(text).toMatch(new RegExp(`<td><code>${code}</code></td><td>.+?</td><td>.+?</td>`))
})

test('/docs says what to do about every concern', async () => {
  const { text } = await (await startApp()).fetch('/docs')
  for (const code of CONCERN_CODES) expect(text).toMatch(new RegExp(`<td><code>${code}</code></td><td>.+?</td>`))
})

describeWindow('/docs in a browser', () => {
  test('finds the calls by their words, shows one language at a time, fits a phone', async () => {
    const app = await startWindowApp()
    const page = await openWindow(app, '/docs', PHONE)
    const shown = () => page.locator('section:visible').count()
    const all = await shown()
    await page.getByRole('searchbox').fill('revoke delete')
    await expect.poll(shown).toBeLessThan(all / 4)
    expect(await page.locator('#revokeMessage').isVisible()).toBe(true)
    expect(await page.locator('#sendMessage').isVisible()).toBe(false)
    // The owner's part opens where something of it is found.
    await page.getByRole('searchbox').fill('rotate secret')
    await expect.poll(() => page.getByText('/api/webhooks/{id}/rotate-secret').last().isVisible()).toBe(true)
    await page.getByRole('searchbox').fill('')
    await expect.poll(shown).toBeGreaterThanOrEqual(all)

    const send = page.locator('#sendMessage')
    expect(await send.locator('.calls pre:visible').textContent()).toMatch(/^curl /)
    await send.getByLabel('Python').check()
    expect(await send.locator('.calls pre:visible').textContent()).toMatch(/^import json/)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width)

    // Every section has the same form: axe takes ten seconds for all of them, and as long for hidden ones.
    await page.getByRole('searchbox').fill('revoke delete')
    await expect.poll(shown).toBeLessThan(all / 4)
    await page.evaluate("document.querySelectorAll('[hidden]').forEach((hidden) => hidden.remove())")
    expect(await axeFindings(page)).toEqual([])
  })
})
