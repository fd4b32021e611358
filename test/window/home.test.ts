import { expect, test } from 'vitest'
import { SANDBOX, type TestApp } from '../support/app.ts'
import { describeWindow, openWindow, PHONE, startWindowApp } from '../support/browser.ts'
import { text } from '../support/texts.ts'

const NOT_ON_WHATSAPP = '6281234560001'

async function send(app: TestApp, phone: string, more: Record<string, unknown> = {}): Promise<string> {
  const body = { sender_code: SANDBOX, phone, message: 'halo', ...more }
  return (await app.owner<{ id: string }>('/send', { body })).body.data.id
}

describeWindow('Home', () => {
  test('is green while all is well, and names the day in figures', async () => {
    const app = await startWindowApp()
    for (let count = 0; count < 6; count += 1) await app.reached(await send(app, '6281234567890'), 'read')
    await app.reached(await send(app, NOT_ON_WHATSAPP), 'failed')
    const page = await openWindow(app, '/')
    await page.getByRole('heading', { name: text('home.well') }).waitFor()
    await page.getByRole('link', { name: text('home.today', { count: 7 }) }).waitFor()
    // One failure is no alarm, but it is not hidden either, and leads to its reason.
    await page.getByRole('link', { name: text('home.failedToday', { count: 1 }) }).click()
    await page.getByText(text('failures.recipient_not_on_whatsapp.message')).waitFor()
  })

  test('is never green over a day that fails', async () => {
    const app = await startWindowApp()
    for (let count = 0; count < 8; count += 1) await app.reached(await send(app, NOT_ON_WHATSAPP), 'failed')
    await app.reached(await send(app, '6281234567890'), 'sent', 'delivered', 'read')
    const page = await openWindow(app, '/')
    await page.getByRole('heading', { name: text('home.issue.failures', { count: 8, ended: 9 }) }).waitFor()
    expect(await page.getByText(text('home.well')).count()).toBe(0)
    await page.getByRole('link', { name: text('home.seeFailures') }).click()
    await expect.poll(() => page.getByText(text('failures.recipient_not_on_whatsapp.message')).count()).toBe(8)
    await page.getByRole('columnheader', { name: text('messages.why') }).waitFor()
  })

  test('the number with most messages waiting comes first, a pause of the owner alarms nobody', async () => {
    const app = await startWindowApp()
    const busy = await app.sender('linked', { name: 'Bekasi' })
    await app.sender('linked', { name: 'Depok' })
    const paused = await app.sender('sandbox', { name: 'Gudang' })
    await app.owner(`/api/senders/${paused}/pause`, { method: 'POST' })
    for (let count = 0; count < 2; count += 1) await send(app, '6281234567890', { sender_code: busy })
    await send(app, '6281234567890', { sender_code: paused })
    const page = await openWindow(app, '/')
    await page.getByRole('heading', { name: text('home.issue.unlinked', { name: 'Bekasi', count: 2 }) }).waitFor()
    const others = page.getByRole('region', { name: text('home.alsoNeeds') }).getByRole('listitem')
    expect(await others.allInnerTexts()).toEqual([
      expect.stringContaining('Depok'),
      expect.stringContaining(text('home.issue.paused', { name: 'Gudang', count: 1 })),
    ])
    const cards = page.getByRole('region', { name: text('home.senders') }).getByRole('article')
    expect(await cards.allInnerTexts()).toEqual(
      ['Bekasi', 'Depok', 'Gudang', 'Sandbox'].map((name) => expect.stringMatching(new RegExp(`^${name}`))),
    )
    await page
      .getByRole('link', { name: text('nav.pages.senders') })
      .getByText('2', { exact: true })
      .waitFor()
  })

  test('a pause alone leaves it green', async () => {
    const app = await startWindowApp()
    await app.owner(`/api/senders/${SANDBOX}/pause`, { method: 'POST' })
    await send(app, '6281234567890')
    const page = await openWindow(app, '/')
    await page.getByRole('heading', { name: text('home.well') }).waitFor()
    await page.getByRole('region', { name: text('home.pausedByYou') }).waitFor()
    expect(await page.getByTitle(text('nav.attention', { count: 1 })).count()).toBe(0)
  })

  test('two endpoints that fail are two rows', async () => {
    const app = await startWindowApp()
    for (const path of ['one', 'two']) await app.owner('/api/webhooks', { body: { url: `http://127.0.0.1:9/${path}` } })
    await app.reached(await send(app, '6281234567890'), 'read')
    const page = await openWindow(app, '/')
    const first = page.getByRole('heading', { level: 1 })
    await page.getByRole('heading', { name: /127\.0\.0\.1:9/ }).waitFor()
    const other = page.getByRole('region', { name: text('home.alsoNeeds') }).getByRole('listitem')
    expect(await other.count()).toBe(1)
    expect(`${await first.textContent()} ${await other.textContent()}`).toMatch(/\/one.*\/two|\/two.*\/one/)
  })

  test.each([
    ['a PC', {}],
    ['a phone', PHONE],
  ])('says the last days in a sentence and a table, one bar a day: on %s', async (_, size) => {
    const app = await startWindowApp()
    for (let count = 0; count < 3; count += 1) await app.reached(await send(app, '6281234567890'), 'read')
    await app.reached(await send(app, NOT_ON_WHATSAPP), 'failed')
    const page = await openWindow(app, '/', size)
    await page.getByText(text('home.chartWords', { sent: 3, read: '100%', failed: 1 })).waitFor()
    const rows = page.getByRole('table', { name: text('home.chart') }).getByRole('row')
    expect(await rows.count(), 'a head and fourteen days').toBe(15)
    expect(await rows.last().getByRole('cell').allInnerTexts()).toEqual(['3', '3', '3', '1'])
  })
})
