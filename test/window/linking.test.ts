import readQr from 'jsqr'
import type { Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { expect, test } from 'vitest'
import { describeWindow, openWindow, PAGES } from '../support/browser.ts'
import { startShop } from '../support/shop.ts'

/** What a phone's camera would read from the page. */
async function scanPage(page: Page): Promise<string> {
  const code = page.getByRole('img', { name: 'QR code to scan with WhatsApp' })
  const { data, width, height } = PNG.sync.read(await code.screenshot())
  expect(Math.min(width, height)).toBeGreaterThanOrEqual(280)
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
      await page.getByText('Linked as +62 811-1111-1111').waitFor()
      await page.getByRole('link', { name: 'To the sender' }).click()
      await page.getByRole('dialog', { name: 'Toko Melati' }).getByText('Connected').waitFor()

      await shop.phone.unlink()
      await page.getByRole('link', { name: 'Home', exact: true }).click()
      await page.getByRole('heading', { name: 'Toko Melati is logged out.' }).waitFor()
      await page.getByRole('link', { name: 'Link again' }).first().click()
      await shop.phone.scan(await scanPage(page))
      await page.getByText('Linked as +62 811-1111-1111').waitFor()
    })
  }

  test('a code is typed where the camera does not help', async () => {
    const shop = await startShop({ overrides: { pages: PAGES } })
    const page = await openWindow(shop.app, `/senders/${shop.sender}/link`)
    await page.getByText('Type a code').click()
    await page.getByLabel('Number of the phone').fill('+62 811 1111 1111')
    await page.getByRole('button', { name: 'Get a code' }).click()
    await page.getByText(/^Valid for \d+ s$/).waitFor()
    const { pairing_code } = await shop.view()
    await page.getByText(pairing_code?.slice(0, 4) ?? 'none', { exact: true }).waitFor()
  })
})
