import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { SANDBOX, type TestApp } from '../support/app.ts'
import { describeWindow, openWindow, seriousFindings, startWindowApp } from '../support/browser.ts'

const PHONE = '6281234567890'

describeWindow('Messages', () => {
  let app: TestApp

  beforeEach(async () => {
    app = await startWindowApp()
  })

  async function send(fields: Record<string, unknown>): Promise<string> {
    const body = { sender_code: SANDBOX, phone: PHONE, message: 'halo', ...fields }
    return (await app.owner<{ id: string }>('/send', { body })).body.data.id
  }

  test('the first run leads to a message that arrives', async () => {
    await app.owner('/api/settings', { method: 'PATCH', body: { onboarded: false } })
    const page = await openWindow(app, '/')
    await page.getByRole('heading', { name: 'Welcome to Kurir' }).waitFor()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('It arrived.').waitFor()
    await page.getByRole('img', { name: 'Read' }).waitFor()
    await page.getByRole('button', { name: 'Skip the introduction' }).click()
    await page.getByRole('heading', { name: /^All is well\. 1 message today/ }).waitFor()
  })

  test('a message that waits is cancelled, and the list follows', async () => {
    await send({ message: 'later', delay: 3600 })
    const page = await openWindow(app, '/messages')
    await page.getByRole('link', { name: /^Waiting/ }).click()
    await page.getByRole('button', { name: 'Cancel the message' }).click()
    await page.getByRole('link', { name: /^Cancelled/ }).waitFor()
  })

  test('a row appears by itself, is found by its words and says why it failed', async () => {
    const page = await openWindow(app, '/messages')
    await page.getByText('No message yet').waitFor()
    await send({ message: 'about the blue bicycle' })
    await send({ message: 'about the tent', phone: '6281234560001' })
    await page.getByRole('link', { name: /tent/ }).waitFor()
    await page.getByRole('searchbox').fill('bicycle')
    await page.getByRole('link', { name: /tent/ }).waitFor({ state: 'detached' })
    await page.getByRole('searchbox').fill('')
    await page.getByRole('link', { name: /^Failed.*tent/ }).click()
    await page.getByRole('alert').getByText('This number is not on WhatsApp.').waitFor()
  })

  test('a page loses the server, keeps what it shows, and recovers', async () => {
    const home = mkdtempSync(join(tmpdir(), 'kurir-test-'))
    onTestFinished(() => rmSync(home, { recursive: true, force: true }))
    const before = await startWindowApp('en', { home })
    const body = { sender_code: SANDBOX, phone: PHONE, message: 'stays to be seen' }
    await before.owner('/send', { body })
    const page = await openWindow(before, '/messages')
    const kept = page.getByRole('link', { name: /stays to be seen/ })
    await kept.waitFor()

    await before.close()
    const bar = page.getByText('No contact with Kurir.')
    await bar.waitFor()
    expect(await kept.isVisible()).toBe(true)

    const after = await startWindowApp('en', { home, env: { KURIR_PORT: new URL(page.url()).port } })
    await bar.waitFor({ state: 'detached' })
    await after.owner('/send', { body: { ...body, message: 'after the gap' } })
    await page.getByRole('link', { name: /after the gap/ }).waitFor()
  })

  const PLACES = [
    '/',
    '/senders',
    `/senders?open=${SANDBOX}`,
    '/senders?open=new',
    '/messages',
    '/api-message-logs',
    '/try-it',
    '/try-it?kind=template',
    '/welcome',
    '/welcome?step=key',
  ]

  for (const theme of ['light', 'dark'] as const) {
    for (const language of ['en', 'id'] as const) {
      test(`axe finds nothing serious and no word is missing: ${theme}, ${language}`, async () => {
        const failed = await send({ phone: '6281234560001' })
        await app.reached(failed, 'failed')
        await app.owner('/api/settings', { method: 'PATCH', body: { language } })
        const page = await openWindow(app, '/', { theme })
        for (const path of [...PLACES, `/messages?open=${failed}`]) {
          await page.goto(app.url + path)
          await page
            .getByRole('heading', { level: path.includes('open=') ? 2 : 1 })
            .first()
            .waitFor()
          await page.locator(`html[lang=${language}]`).waitFor()
          expect(await seriousFindings(page), path).toEqual([])
          expect(await page.locator('main').innerText(), path).not.toMatch(MISSING_WORD)
        }
      })
    }
  }
})

/** A key of the words that was shown instead of its words. */
const MISSING_WORD = /\b(actions|errors|failures|home|list|messages|rail|senders|states|tryIt|welcome|words)\.[a-z]\w+/
