// Takes the pictures of the docs anew: npm run screenshots. Needs a Chromium (CHROMIUM names another than the system's).
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { openShop } from './screenshots/shop.ts'

const images = join(import.meta.dirname, '../docs/images')

const shop = await openShop()
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
})
const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
await page.goto(`${shop.url}/?token=${shop.token}`)

async function take(name: string): Promise<void> {
  await page.evaluate('document.fonts.ready')
  await page.screenshot({ path: join(images, `${name}.png`), animations: 'disabled' })
}

await page.goto(shop.url)
await page.getByRole('heading', { name: 'The last 14 days' }).waitFor()
await page.locator('.recharts-surface').first().waitFor()
await take('home')

await page.goto(`${shop.url}/messages`)
await page.getByText('INV-', { exact: false }).first().waitFor()
await take('messages')

await page.goto(`${shop.url}/api-message-logs`)
await page.getByRole('row').filter({ hasText: 'INV-' }).nth(1).click()
await page.getByRole('dialog').getByText('Delivered', { exact: false }).first().waitFor()
await take('api-message-logs')

const { sender_code } = await shop.call('/api/senders', { kind: 'linked', name: 'Toko Melati Kemang' })
await page.goto(`${shop.url}/senders/${sender_code}/link`)
await page.getByRole('img', { name: 'QR code to scan with WhatsApp' }).waitFor()
await take('linking')

await browser.close()
await shop.close()
