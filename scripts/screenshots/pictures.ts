import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { watchRequests } from '../../test/support/quiet.ts'
import { openShop, type Shop } from './shop.ts'
import { NOW } from './story.ts'

export interface Picture {
  name: string
  png: Buffer
}

const QUIET = ['--no-sandbox', '--disable-background-networking', '--disable-component-update']
// Rasterize in one thread and one tile: otherwise tile edges or the order of threads change single
// pixels.
const SAME_PIXELS = [
  '--disable-gpu',
  '--disable-lcd-text',
  '--font-render-hinting=none',
  '--disable-partial-raster',
  '--disable-skia-runtime-opts',
  '--num-raster-threads=1',
  '--default-tile-width=4096',
  '--default-tile-height=4096',
  '--disable-threaded-animation',
  '--disable-threaded-scrolling',
  '--disable-checker-imaging',
  '--run-all-compositor-stages-before-draw',
]
const SIZE = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 800 }
// As long as a real code, so that the drawn QR code is as dense.
const QR = `2@${'kurir'.repeat(40)}`

/** Takes the screenshots of a fixed shop. Two calls return the same bytes. */
export async function takePictures(): Promise<Picture[]> {
  const shop = await openShop()
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [...QUIET, ...SAME_PIXELS],
  })
  try {
    const context = await browser.newContext({ viewport: SIZE, reducedMotion: 'reduce', colorScheme: 'light' })
    await settle(context)
    const page = await context.newPage()
    await page.goto(shop.link)
    return await photograph(page, shop)
  } finally {
    await browser.close()
    await shop.close()
  }
}

/**
 * Removes everything that differs between two runs: the page's clock, random ids and ports, the QR
 * code, the sizes of this PC's disk.
 */
async function settle(context: BrowserContext): Promise<void> {
  await context.clock.setFixedTime(NOW)
  const replace = (address: string, change: (text: string) => string) =>
    context.route(address, async (route) => {
      // A kept-alive connection may be closed by both ends at the same time, so retry.
      const response = await route.fetch({ maxRetries: 3 })
      await route.fulfill({ response, body: change(await response.text()) })
    })
  await replace('**/api/messages/*', (text) =>
    text
      .replace(/"id":"[^"]+"/, '"id":"01a1feab-e730-7000-9982-5ab6c206febe"')
      .replaceAll(/wamid\.[\w=+/-]+/g, 'wamid.HBgNNjI4MTI5MDExNDQ3MxUCABEYEjA5RUY0'),
  )
  await replace('**/api/webhooks', (text) => text.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:8080'))
  await replace('**/api/senders', (text) =>
    text
      .replaceAll(/"qr":"[^"]+"/g, `"qr":"${QR}"`)
      .replaceAll(/"expires_at":"[^"]+"/g, `"expires_at":"${new Date(NOW + 48_000).toISOString()}"`),
  )
  await replace('**/api/overview', (text) =>
    text
      .replace(/"database_bytes":\d+/, '"database_bytes":1270000')
      .replace(/"free_bytes":\d+/, '"free_bytes":182000000000'),
  )
}

async function photograph(page: Page, shop: Shop): Promise<Picture[]> {
  const pictures: Picture[] = []
  const quiet = watchRequests(page)

  async function take(name: string): Promise<void> {
    await page.evaluate('document.fonts.ready')
    await quiet()
    pictures.push({ name, png: await page.screenshot({ animations: 'disabled' }) })
  }

  await page.goto(shop.url)
  await page.getByRole('heading', { name: 'The last 14 days' }).waitFor()
  await take('home')

  await page.goto(`${shop.url}/messages`)
  await page.getByText('INV-', { exact: false }).first().waitFor()
  await take('messages')

  await page.setViewportSize(PHONE)
  await take('phone')
  await page.setViewportSize(SIZE)

  await page.goto(`${shop.url}/api-message-logs`)
  await page.getByRole('row').filter({ hasText: 'INV-' }).nth(1).getByRole('link').click()
  await page.getByRole('dialog').getByText('Delivered', { exact: false }).first().waitFor()
  await take('api-message-logs')

  const { sender_code } = await shop.call('/api/senders', { kind: 'linked', name: 'Toko Melati Kemang' })
  await page.goto(`${shop.url}/senders/${sender_code}/link`)
  await page.getByRole('img', { name: 'QR code to scan with WhatsApp' }).waitFor()
  await take('linking')
  return pictures
}
