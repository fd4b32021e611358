import readQr from 'jsqr'
import type { Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { expect, test } from 'vitest'
import { phoneInText } from '../../renderer/model/phone.ts'
import { describeWindow, openWindow, PAGES, startWindowApp } from '../support/browser.ts'
import { startShop } from '../support/shop.ts'
import { text } from '../support/texts.ts'

/** What a phone's camera would read from the page. */
async function scanPage(page: Page): Promise<string> {
  const code = page.getByRole('img', { name: text('senders.linking.qrName') })
  const { data, width, height } = PNG.sync.read(await code.screenshot())
  // 280 px for the code itself; the quiet zone around it is four modules wide.
  expect(Math.min(width, height)).toBeGreaterThan(300)
  const read = readQr.default(new Uint8ClampedArray(data), width, height)
  if (read === null) throw new Error('the picture on the page cannot be read as a QR code')
  return read.data
}

describeWindow('Linking', () => {
  for (const theme of ['light', 'dark'] as const) {
    test(`a phone links by the QR code on the page, and again after it was unlinked there: ${theme}`, async () => {
      const shop = await startShop({ overrides: { pages: PAGES } })
      await shop.app.owner('/api/settings', { method: 'PATCH', body: { onboarded: true } })
      const page = await openWindow(shop.app, `/senders/${shop.sender}/link`, { theme })

      await shop.phone.scan(await scanPage(page))
      await page.getByText(text('senders.linking.linkedAlone', { phone: phoneInText('6281111111111') })).waitFor()
      await page.getByRole('link', { name: text('senders.linking.toSender'), exact: true }).click()
      await page
        .getByRole('dialog', { name: 'Toko Melati' })
        .getByText(text('states.sender.connected'), { exact: true })
        .waitFor()

      await shop.phone.unlink()
      await page.getByRole('link', { name: text('nav.pages.home'), exact: true }).click()
      await page.getByRole('heading', { name: /^Toko Melati was unlinked on the phone/ }).waitFor()
      await page.getByRole('link', { name: 'Link again' }).first().click()
      await shop.phone.scan(await scanPage(page))
      await page.getByText(text('senders.linking.linkedAlone', { phone: phoneInText('6281111111111') })).waitFor()
    })
  }

  test.each(['qr', 'code'] as const)('a PC that does not reach WhatsApp is told so, by %s', async (method) => {
    const app = await startWindowApp()
    const sender = await app.sender('linked', { name: 'Toko Melati' })
    const page = await openWindow(app, `/senders/${sender}/link`)
    if (method === 'code') {
      await page.getByText(text('senders.linking.methods.code')).click()
      await page.getByLabel(text('senders.linking.phone')).fill('+62 811 1111 1111')
      await page.getByRole('button', { name: text('senders.linking.getCode') }).click()
    }
    await page.getByText(text('senders.linking.unreachable')).waitFor()
  })

  test('a paused number is linked as well', async () => {
    const shop = await startShop({ overrides: { pages: PAGES } })
    await shop.app.owner(`/api/senders/${shop.sender}/pause`, { method: 'POST' })
    const page = await openWindow(shop.app, `/senders/${shop.sender}/link`)
    await shop.phone.scan(await scanPage(page))
    await page.getByText(text('senders.linking.linkedAlone', { phone: phoneInText('6281111111111') })).waitFor()
  })

  test('the test message to oneself is not called sent before it is: what became of it is said', async () => {
    const shop = await startShop({ overrides: { pages: PAGES } })
    await shop.link()
    const page = await openWindow(shop.app, `/senders/${shop.sender}/link`)
    await page.getByRole('button', { name: text('senders.linking.test') }).click()
    // The stand-in of WhatsApp refuses a message to the number that sends it.
    const result = page.getByRole('status')
    await result.getByText(text('states.message.failed')).waitFor()
    await result.getByText(text('failures.refused_by_whatsapp.message')).waitFor()
  })

  test('a code is typed where the camera does not help', async () => {
    const shop = await startShop({ overrides: { pages: PAGES } })
    const page = await openWindow(shop.app, `/senders/${shop.sender}/link`)
    await page.getByText(text('senders.linking.methods.code')).click()
    await page.getByLabel(text('senders.linking.phone')).fill('+62 811 1111 1111')
    await page.getByRole('button', { name: text('senders.linking.getCode') }).click()
    await page.getByText(/\d+ s$/).waitFor()
    const { pairing_code } = await shop.view()
    await page.getByText(pairing_code?.slice(0, 4) ?? 'none', { exact: true }).waitFor()
    // It ran out: the number is not asked for again.
    await shop.owner('unlink')
    await page.getByRole('button', { name: text('actions.retry') }).click()
    expect(await page.getByLabel(text('senders.linking.phone')).inputValue()).toBe('+62 811 1111 1111')
  })
})
