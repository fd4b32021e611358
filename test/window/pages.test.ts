import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { axeFindings, describeWindow, openWindow, PAGES } from '../support/browser.ts'
import { startGraphPeer } from '../support/graph-peer/graph-peer.ts'
import { addOfficial, sendTemplate } from '../support/official.ts'
import { startReceiver } from '../support/receiver.ts'
import { take } from '../support/tables.ts'
import { text } from '../support/texts.ts'

/** A key that was shown instead of its text. */
const MISSING_TEXT =
  /\b(actions|backup|customers|errors|failures|help|home|keys|leave|linking|list|messages|month|nav|nodes|optOuts|prints|programs|providerHints|refusedCalls|senders|settings|slip|states|tables|webhooks|welcome|words|write)\.[a-z]\w+/

const TEMPLATE = {
  id: '1',
  name: 'invoice',
  language: 'id',
  status: 'APPROVED',
  category: 'UTILITY',
  components: [{ type: 'BODY', text: 'Faktur {{1}} siap.' }],
}

/** What a finger must hit, and cannot: its name and its size. Links inside a sentence need only the height of its line. */
const TOO_SMALL = `[...document.querySelectorAll('a[href], button, summary, input, textarea, [role="tab"], [role="radio"]')]
  .filter((element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !element.closest('[inert]'))
  .map((element) => {
    const target = element.matches('input[type=checkbox], input[type=radio]') ? (element.closest('label, [class*=-body]') ?? element) : (element.closest('.mantine-Input-input') ?? element)
    const row = getComputedStyle(element, '::after').position === 'absolute' ? (element.closest('tr, article') ?? target) : target
    const { width, height } = row.getBoundingClientRect()
    return { element, width, height }
  })
  .filter(({ element, width, height }) => (width > 1 && height > 1) && (width < 43.5 || height < 43.5) &&
    !(element.matches('a') && getComputedStyle(element).display === 'inline') && !element.matches('input[role="radio"], input[type=radio]'))
  .map(({ element, width, height }) => (element.getAttribute('aria-label') ?? element.innerText) + ' ' + Math.round(width) + '×' + Math.round(height) + ' ' + element.className)`

describeWindow('Every page', () => {
  let app: TestApp
  let places: string[]

  beforeAll(async () => {
    const graph = await startGraphPeer()
    graph.state.templates = [TEMPLATE]
    app = await startApp({ lives: 'file', env: { KURIR_GRAPH_URL: graph.url }, overrides: { pages: PAGES } })
    const official = await addOfficial(app)
    const linked = await app.sender('linked', { name: 'Toko Melati Bekasi Timur (Jl. Margonda Raya No. 123)' })
    const receiver = await startReceiver({ lives: 'file' })
    receiver.always({ status: 500, body: 'no database' })
    await app.owner('/api/webhooks', { body: { url: receiver.url } })
    await app.owner('/api/webhooks', { body: { url: 'http://127.0.0.1:9/nobody', events: ['message.failed'] } })
    const send = async (phone: string) =>
      (await app.owner<{ id: string }>('/send', { body: { sender_code: SANDBOX, phone, message: 'halo' } })).body.data
        .id
    const failed = await send('6281234560001')
    const read = await send('6281234567890')
    await app.reached(failed, 'failed')
    await app.reached(read, 'read')
    const template = (await sendTemplate(app, { parameters: ['INV-1'] })).body.data.id
    await receiver.calls(1)
    await app.key({ name: 'Till' })
    await app.owner('/api/backup/plan', { method: 'PATCH', body: { folder: `${app.home}-backups` } })
    const rows = 'No HP;Nama;Kota yang namanya panjang sekali\n081234567890;Sri;Malang'
    const table = (await take(app, rows, 'invoices.csv')).body.data.id
    const key = (await app.owner<{ id: string }[]>('/api/keys')).body.data[0]?.id
    await app.owner('/api/settings', { method: 'PATCH', body: { onboarded: true, host: '0.0.0.0' } })
    places = [
      ...['/', '/senders', `/senders?open=${SANDBOX}`, `/senders?open=${official}`, `/senders?open=${linked}`],
      ...['/senders?open=new', `/senders/${linked}/link`, '/messages?sandbox=with', '/messages?status=failed'],
      ...[`/messages?sandbox=with&open=${failed}`, `/messages?open=${read}`, `/messages/${read}/slip`],
      ...[
        '/opt-outs',
        '/refused-calls',
        '/emergency-sheet',
        '/help',
        '/customers',
        '/customers/6281234567890?sandbox=with',
        '/month',
        '/nodes',
      ],
      ...['/api-message-logs', `/api-message-logs?open=${template}`],
      ...['/webhooks', '/webhooks?open=1', '/webhooks?open=new', '/webhooks?delivery=1'],
      ...['/keys', `/keys?open=${key}`, '/keys?open=new', '/write', '/write?kind=template', '/write?kind=table'],
      ...[`/tables/${table}`, '/prints', '/settings'],
      ...[
        'alarms',
        'network',
        'access',
        'files',
        'folder',
        'customers',
        'programs',
        'log',
        'meta',
        'backup',
        'about',
      ].map((section) => `/settings#${section}`),
      ...['/welcome', '/welcome?step=link', '/welcome?step=key'],
    ]
    return graph.close
  })

  /** As a link of the window would, without loading everything again. */
  async function go(page: Page, path: string): Promise<void> {
    await page.evaluate(`history.pushState(null, '', '${path}')`)
    const level = /open=|delivery=/.test(path) ? 2 : 1
    await page.getByRole('heading', { level }).first().waitFor()
    await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0)
  }

  const tooWide = (page: Page) =>
    page.evaluate(
      `Math.max(...['main', 'html', 'dialog > :last-child'].map((one) => document.querySelector(one)).map((one) => one === null ? 0 : one.scrollWidth - one.clientWidth))`,
    )

  test.each([
    ['light', 'en', 1366],
    ['dark', 'id', 1024],
    ['light', 'id', 390],
    ['dark', 'en', 390],
  ] as const)(
    'axe finds nothing, no text is missing, nothing is too wide: %s, %s, %i px',
    async (theme, language, width) => {
      await app.owner('/api/settings', { method: 'PATCH', body: { language } })
      const page = await openWindow(app, '/', { theme, width, height: width < 500 ? 844 : 700 })
      await page.locator(`html[lang=${language}]`).waitFor()
      for (const path of places) {
        await go(page, path)
        expect.soft(await axeFindings(page), path).toEqual([])
        expect.soft(await page.locator('body').innerText(), path).not.toMatch(MISSING_TEXT)
        expect.soft(await tooWide(page), path).toBe(0)
        if (width < 500) expect.soft(await page.evaluate(TOO_SMALL), path).toEqual([])
      }
    },
  )

  test('a program that shares its database with no other has no nodes in its menu', async () => {
    await app.owner('/api/settings', { method: 'PATCH', body: { language: 'en' } })
    const page = await openWindow(app, '/')
    const menu = page.getByRole('navigation')
    await menu.getByRole('link', { name: text('nav.pages.settings') }).waitFor()
    expect(await menu.getByRole('link', { name: text('nav.pages.nodes') }).count()).toBe(0)
  })

  test('at 200 % of a usual screen nothing is lost at the side', async () => {
    await app.owner('/api/settings', { method: 'PATCH', body: { language: 'id' } })
    const page = await openWindow(app, '/', { width: 683, height: 384 })
    for (const path of places) {
      await go(page, path)
      expect(await tooWide(page), path).toBe(0)
    }
    await go(page, '/messages?sandbox=with')
    const row = page.getByRole('row').filter({ hasText: 'halo' }).filter({ hasText: '+62 812-3456-7890' })
    for (const cell of ['halo', '+62 812-3456-7890']) expect(await row.getByText(cell).isVisible()).toBe(true)
  })
})
