import type { Locator } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { SANDBOX, type TestApp } from '../support/app.ts'
import { axeFindings, describeWindow, focused, openWindow, PAGES, PHONE, startWindowApp } from '../support/browser.ts'
import { startShop } from '../support/shop.ts'
import { beginning, inOrder, text, textId } from '../support/texts.ts'

async function isInView(element: Locator): Promise<boolean> {
  const { y = -1, height = 0 } = (await element.boundingBox()) ?? {}
  return y >= 0 && y + height <= 384
}

describeWindow('On a phone', () => {
  let app: TestApp

  beforeAll(async () => {
    app = await startWindowApp('id', { lives: 'file' })
    for (const [phone, message] of [
      ...Array.from({ length: 8 }, (_, n) => [`628123456100${n}`, `about lamp ${n}`] as const),
      ['6281234560001', 'about the tent'],
      ['6281234567890', 'about the bicycle'],
    ]) {
      const { body } = await app.owner<{ id: string }>('/send', { body: { sender_code: SANDBOX, phone, message } })
      await app.reached(body.data.id, 'failed', 'read')
    }
  })

  test('the menu is at the foot; what is rare is behind More, and says where one is', async () => {
    const page = await openWindow(app, '/', PHONE)
    const menu = page.getByRole('navigation', { name: textId('nav.label') })
    await menu.getByRole('link', { name: textId('nav.pages.messages') }).click()
    await page.getByRole('heading', { name: textId('messages.title') }).waitFor()
    expect(await menu.locator('[aria-current]').innerText()).toBe(textId('nav.pages.messages'))
    await menu.getByRole('button', { name: textId('nav.more') }).click()
    await page.getByRole('menuitem', { name: textId('nav.pages.settings') }).click()
    await page.getByRole('heading', { name: textId('settings.title') }).waitFor()
    expect(await menu.locator('[aria-current]').innerText()).toBe(textId('nav.more'))
    const { y = 0, height = 0 } = (await menu.boundingBox()) ?? {}
    expect(y + height).toBe(PHONE.height)
    for (const below of ['/prints', '/refused-calls']) {
      await page.goto(app.url + below)
      await expect
        .poll(() => menu.locator('[aria-current]').allInnerTexts(), { message: below })
        .toEqual([textId('nav.more')])
    }
  })

  test('a message is two lines: to whom and when, what it says or why it failed and its status', async () => {
    const page = await openWindow(app, '/messages?sandbox=with', PHONE)
    const sent = page.getByRole('row').filter({ hasText: '+62 812-3456-7890' })
    await sent.waitFor()
    for (const part of ['about the bicycle', textId('states.message.read'), textId('time.now')]) {
      expect(await sent.getByText(part).isVisible(), part).toBe(true)
    }
    const failed = page.getByRole('row').filter({ hasText: '+62 812-3456-0001' })
    expect(await failed.getByText(textId('failures.recipient_not_on_whatsapp.message')).isVisible()).toBe(true)
    expect((await failed.boundingBox())?.height).toBe(68)
    // No filter is beside the screen, which nothing would tell.
    const { x = 0, width = 0 } = (await page.getByRole('button', { name: textId('actions.clear') }).boundingBox()) ?? {}
    expect(x + width).toBeLessThanOrEqual(PHONE.width)
  })

  test('nothing lies on the buttons of a log, however small the phone', async () => {
    const page = await openWindow(app, '/api-message-logs', { width: 320, height: 640 })
    await page.getByText(textId('messages.emptyOfficial')).waitFor()
    const { y = 0, height = 0 } = (await page.getByRole('link', { name: textId('messages.write') }).boundingBox()) ?? {}
    const { y: search = 0 } = (await page.getByRole('searchbox').boundingBox()) ?? {}
    expect(y + height).toBeLessThanOrEqual(search)
  })

  test('a window of 1366 × 768 at 200 % shows three rows of the log', async () => {
    const page = await openWindow(app, '/messages?sandbox=with', { width: 683, height: 384 })
    const { y: rows = 0 } = (await page.getByRole('row').nth(1).boundingBox()) ?? {}
    const { y: end = 0 } = (await page.getByRole('navigation', { name: textId('nav.label') }).boundingBox()) ?? {}
    // A day without a heading is today.
    expect(end - rows).toBeGreaterThanOrEqual(3 * 68)
  })

  test.each(['wheel', 'keyboard'])('at 200 %% five rows are seen below nothing, once scrolled by %s', async (how) => {
    const page = await openWindow(app, '/messages?sandbox=with', { width: 683, height: 384 })
    const list = page.getByRole('table')
    const rows = list.getByRole('row').filter({ has: page.getByRole('link') })
    await rows.first().waitFor()
    if (how === 'wheel') {
      await rows.first().hover()
      await page.mouse.wheel(0, 30)
    } else {
      await rows.first().getByRole('link').focus()
      for (let steps = 0; steps < 5; steps += 1) await page.keyboard.press('ArrowDown')
    }
    const search = page.getByRole('searchbox', { name: textId('messages.search') })
    await expect.poll(() => isInView(search)).toBe(false)
    const { y: end = 0 } = (await page.getByRole('navigation', { name: textId('nav.label') }).boundingBox()) ?? {}
    const seen = async () => {
      const boxes = await Promise.all((await rows.all()).map((row) => row.boundingBox()))
      return boxes.filter((box) => box !== null && box.y >= 0 && box.y + box.height <= end).length
    }
    await expect.poll(seen).toBeGreaterThanOrEqual(5)
    expect(await axeFindings(page)).toEqual([])
    // The keyboard brings it back.
    await search.focus()
    await expect.poll(() => isInView(search)).toBe(true)
  })

  test('a drawer covers the page, keeps the keyboard in it, and gives the row back', async () => {
    const page = await openWindow(app, '/messages?sandbox=with', PHONE)
    await page.getByRole('link', { name: inOrder(textId('states.message.read'), 'bicycle') }).click()
    const drawer = page.getByRole('dialog')
    expect((await drawer.boundingBox())?.width).toBe(PHONE.width)
    for (let steps = 0; steps < 40; steps += 1) {
      await page.keyboard.press('Tab')
      const inside = await page.evaluate(
        'document.activeElement === document.body || document.querySelector("dialog").contains(document.activeElement)',
      )
      expect(inside, await focused(page)).toBe(true)
    }
    await page.getByRole('button', { name: textId('actions.nextRow') }).click()
    await drawer.getByText(textId('failures.recipient_not_on_whatsapp.message')).waitFor()
    await page.getByRole('button', { name: textId('actions.close'), exact: true }).click()
    await expect.poll(() => focused(page)).toMatch(beginning(textId('states.message.failed')))
  })

  test('a sender is set, and a webhook added, with all of their fields within reach', async () => {
    const page = await openWindow(app, '/senders', PHONE)
    await page.getByRole('link', { name: /Sandbox/ }).click()
    await page.getByLabel(textId('senders.form.cap')).fill('99')
    await page.getByRole('button', { name: textId('actions.save') }).click()
    await page.getByText(textId('actions.saved'), { exact: true }).waitFor()
    await page.goto(`${app.url}/webhooks`)
    const add = page.getByRole('button', { name: textId('webhooks.add') })
    await add.click()
    await page.getByRole('textbox', { name: textId('webhooks.form.url') }).waitFor()
    await page.goBack()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await add.click()
    await page.getByRole('textbox', { name: textId('webhooks.form.url') }).fill('http://127.0.0.1:9/kurir')
    await page.getByRole('button', { name: textId('actions.add'), exact: true }).click()
    await page.getByText(/^whsec_/).waitFor()
    await page.getByRole('button', { name: textId('leave.stored') }).click()
    await page.getByRole('button', { name: textId('actions.close'), exact: true }).click()
    const row = page.getByRole('row').filter({ hasText: '127.0.0.1:9/kurir' })
    expect(await row.getByText(textId('webhooks.health.idle')).isVisible()).toBe(true)
  })

  test('Write has the phone below the form, and nothing beside the screen', async () => {
    const page = await openWindow(app, '/write', PHONE)
    const phone = page.getByRole('log')
    await phone.scrollIntoViewIfNeeded()
    const box = (await phone.boundingBox()) ?? { x: -1, width: 0 }
    expect(box.x).toBeGreaterThanOrEqual(0)
    expect(box.x + box.width).toBeLessThanOrEqual(PHONE.width)
  })
})

describeWindow('Linking on the phone itself', () => {
  test('offers the code to type first, and asks for a QR code only when that is chosen', async () => {
    const shop = await startShop({ overrides: { pages: PAGES } })
    const page = await openWindow(shop.app, `/senders/${shop.sender}/link`, PHONE)
    await page.getByLabel(text('senders.linking.phone')).waitFor()
    expect((await shop.view()).state).toBe('unlinked')
    await page.getByLabel(text('senders.linking.phone')).fill('+62 811 1111 1111')
    await page.getByRole('button', { name: text('senders.linking.getCode') }).click()
    const { pairing_code } = await shop.until(({ pairing_code }) => pairing_code !== null)
    await page.getByText(pairing_code?.slice(0, 4) ?? 'none', { exact: true }).waitFor()
    await page.getByText(text('senders.linking.methods.qr')).click()
    await page.getByRole('img', { name: text('senders.linking.qrName') }).waitFor()
    await page.getByRole('link', { name: text('senders.linking.back') }).click()
    await page.getByRole('dialog', { name: 'Toko Melati' }).waitFor()
  })
})
