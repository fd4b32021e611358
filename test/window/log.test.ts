import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { SANDBOX, type TestApp } from '../support/app.ts'
import { describeWindow, focused, openWindow, startWindowApp } from '../support/browser.ts'
import { beginning, inOrder, text } from '../support/texts.ts'

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
    await page.getByRole('heading', { name: text('welcome.title') }).waitFor()
    await page.getByRole('button', { name: text('welcome.sandbox.send'), exact: true }).click()
    await page.getByText(text('welcome.sandbox.arrived')).waitFor()
    await page.getByRole('img', { name: text('states.message.read') }).waitFor()
    await page.getByRole('button', { name: text('welcome.skip') }).click()
    // The sandbox counts nowhere.
    await page.getByRole('heading', { name: 'No number is linked yet.' }).waitFor()
    await page.getByRole('link', { name: text('home.today', { count: 0 }) }).waitFor()
  })

  test('a message that waits is cancelled, and the list follows', async () => {
    await send({ message: 'later', delay: 3600 })
    const page = await openWindow(app, '/messages?sandbox=with')
    await page.getByRole('link', { name: beginning(text('states.message.queued')) }).click()
    await page.getByRole('button', { name: text('messages.cancel') }).click()
    await page.getByRole('link', { name: beginning(text('states.message.cancelled')) }).waitFor()
  })

  test('a row appears by itself, is found by its words and says why it failed', async () => {
    const page = await openWindow(app, '/messages?sandbox=with')
    await page.getByText(text('messages.empty')).waitFor()
    await send({ message: 'about the blue bicycle' })
    await send({ message: 'about the tent', phone: '6281234560001' })
    await page.getByRole('link', { name: /tent/ }).waitFor()
    await page.getByRole('searchbox').fill('bicycle')
    await page.getByRole('link', { name: /tent/ }).waitFor({ state: 'detached' })
    await page.getByRole('searchbox').fill('')
    await page.getByRole('link', { name: inOrder(text('states.message.failed'), 'tent') }).click()
    await page.getByRole('alert').getByText(text('failures.recipient_not_on_whatsapp.message')).waitFor()
  })

  test('rows have no style of their own, which would make each scroll slower than the one before', async () => {
    await send({ message: 'about the tent' })
    const page = await openWindow(app, '/messages?sandbox=with')
    await page.getByRole('link', { name: /tent/ }).waitFor()
    expect(await page.locator('tbody tr[style]').count()).toBe(0)
  })

  test('a row that comes into view takes the elements of one that left, and not its focus', async () => {
    for (let count = 10; count < 80; count += 1) await send({ message: `row ${count}`, delay: 3600 })
    const page = await openWindow(app, '/messages?sandbox=with')
    const rows = page.locator('tbody tr')
    await rows.filter({ hasText: 'row 79' }).getByRole('link').focus()
    await page.evaluate("for (const row of document.querySelectorAll('tbody tr')) row.dataset.seen = ''")
    const scroller = page.locator('[class*=scroller]')
    await scroller.evaluate((element) => element.scrollTo({ top: 1200 }))
    await rows.filter({ hasText: 'row 45' }).waitFor()
    expect(await page.locator('tbody tr:not([data-seen])').count()).toBeLessThan(5)
    await expect.poll(() => focused(page)).toBe('PAGE')
    await scroller.evaluate((element) => element.scrollTo({ top: 0 }))
    const first = rows.filter({ hasText: 'row 79' }).getByRole('link')
    await first.focus()
    await send({ message: 'arrives', delay: 3600 })
    await rows.filter({ hasText: 'arrives' }).waitFor()
    expect(await focused(page)).toContain('row 79')
  })

  test('another filter begins with its newest row', async () => {
    for (let count = 10; count < 80; count += 1) await send({ message: `row ${count}`, delay: 3600 })
    const page = await openWindow(app, '/messages?sandbox=with')
    const rows = page.locator('tbody tr')
    await rows.filter({ hasText: 'row 79' }).waitFor()
    await page.locator('[class*=scroller]').evaluate((element) => element.scrollTo({ top: 1200 }))
    await rows.filter({ hasText: 'row 45' }).waitFor()
    await send({ message: 'the newest', delay: 3600 })
    await page.getByRole('button', { name: text('list.fresh', { count: 1 }) }).waitFor()
    await page.getByRole('button', { name: text('messages.status'), exact: true }).click()
    await page.getByRole('menuitemcheckbox', { name: text('states.message.queued') }).click()
    await rows.filter({ hasText: 'the newest' }).waitFor()
  })

  test('no act on all is offered for rows of which others are shown still', async () => {
    for (const message of ['tent one', 'tent two', 'bicycle']) await send({ message, delay: 3600 })
    const page = await openWindow(app, '/messages?sandbox=with&q=tent')
    await page.getByRole('button', { name: text('messages.bulk.titleOf', { count: 2 }) }).waitFor()
    const answer = Promise.withResolvers<void>()
    await page.route('**/api/messages?*', async (route) => {
      await answer.promise
      await route.continue()
    })
    const asked = page.waitForRequest('**/api/messages?*')
    await page.getByRole('searchbox').fill('')
    await asked
    const all = page.getByRole('button', { name: beginning(text('messages.bulk.title').slice(0, 11)) })
    expect(await all.isDisabled()).toBe(true)
    answer.resolve()
    await page.getByRole('button', { name: text('messages.bulk.titleOf', { count: 3 }) }).waitFor()
    expect(await all.isDisabled()).toBe(false)
  })

  test('the search looks through official messages as well', async () => {
    await send({ message: 'about the tent' })
    const body = { sender_code: SANDBOX, phone: PHONE, template_name: 'hello_world', reference_id: 'INV-1951' }
    expect((await app.owner('/waba/send-template', { body })).status).toBe(200)
    const page = await openWindow(app, '/messages?sandbox=with')
    await page.getByRole('link', { name: /tent/ }).waitFor()
    await page.getByRole('searchbox').fill('INV-1951')
    await page.getByRole('link', { name: /tent/ }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: /hello_world/ }).waitFor()
  })

  test('the search field never names a search that is over', async () => {
    await send({ message: 'about the tent' })
    const page = await openWindow(app, '/messages?sandbox=with&q=bicycle')
    await page.getByText(text('list.nothing')).waitFor()
    const menu = page.getByRole('navigation', { name: text('nav.label') })
    await menu.getByRole('link', { name: text('nav.pages.messages'), exact: true }).click()
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('')
  })

  test('a page loses the server, keeps what it shows, and recovers', async () => {
    const home = mkdtempSync(join(tmpdir(), 'kurir-test-'))
    onTestFinished(() => rmSync(home, { recursive: true, force: true }))
    const before = await startWindowApp('en', { home })
    const body = { sender_code: SANDBOX, phone: PHONE, message: 'stays to be seen' }
    await before.owner('/send', { body })
    const page = await openWindow(before, '/messages?sandbox=with')
    const kept = page.getByRole('link', { name: /stays to be seen/ })
    await kept.waitFor()

    await before.close()
    const bar = page.getByText(text('connection.lost'))
    await bar.waitFor()
    expect(await kept.isVisible()).toBe(true)

    const after = await startWindowApp('en', { home, env: { KURIR_PORT: new URL(page.url()).port } })
    await bar.waitFor({ state: 'detached' })
    await after.owner('/send', { body: { ...body, message: 'after the gap' } })
    await page.getByRole('link', { name: /after the gap/ }).waitFor()
  })
})
