import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { describeWindow, openWindow, PAGES, seriousFindings } from '../support/browser.ts'
import { startGraphPeer } from '../support/graph-peer/graph-peer.ts'
import { addOfficial, sendTemplate } from '../support/official.ts'
import { startReceiver } from '../support/receiver.ts'

/** A key of the words that was shown instead of its words. */
const MISSING_WORD =
  /\b(actions|errors|failures|home|keys|linking|list|messages|providerHints|rail|senders|settings|states|tryIt|webhooks|welcome|words)\.[a-z]\w+/

const TEMPLATE = {
  id: '1',
  name: 'invoice',
  language: 'id',
  status: 'APPROVED',
  category: 'UTILITY',
  components: [{ type: 'BODY', text: 'Faktur {{1}} siap.' }],
}

describeWindow('Every page', () => {
  let app: TestApp
  let places: string[]

  beforeAll(async () => {
    const graph = await startGraphPeer()
    graph.state.templates = [TEMPLATE]
    app = await startApp({ lives: 'file', env: { KURIR_GRAPH_URL: graph.url }, overrides: { pages: PAGES } })
    const official = await addOfficial(app)
    const linked = await app.sender('linked', { name: 'Toko Melati' })
    const receiver = await startReceiver({ lives: 'file' })
    receiver.always({ status: 500, body: 'no database' })
    await app.owner('/api/webhooks', { body: { url: receiver.url } })
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
    const key = (await app.owner<{ id: string }[]>('/api/keys')).body.data[0]?.id
    await app.owner('/api/settings', { method: 'PATCH', body: { onboarded: true, host: '0.0.0.0' } })
    places = [
      ...['/', '/senders', `/senders?open=${SANDBOX}`, `/senders?open=${official}`, `/senders?open=${linked}`],
      ...['/senders?open=new', `/senders/${linked}/link`, '/messages', `/messages?open=${failed}`],
      ...[`/messages?open=${read}`, '/api-message-logs', `/api-message-logs?open=${template}`],
      ...['/webhooks', '/webhooks?open=1', '/webhooks?open=new', '/webhooks?delivery=1'],
      ...['/keys', `/keys?open=${key}`, '/keys?open=new', '/try-it', '/try-it?kind=template', '/settings'],
      ...['/welcome', '/welcome?step=link', '/welcome?step=key'],
    ]
    return graph.close
  })

  /** As a link of the window would, without loading everything anew. */
  async function go(page: Page, path: string): Promise<void> {
    await page.evaluate(`history.pushState(null, '', '${path}')`)
    const level = /open=|delivery=/.test(path) ? 2 : 1
    await page.getByRole('heading', { level }).first().waitFor()
    await page.locator('[aria-busy="true"]').waitFor({ state: 'detached' })
  }

  const tooWide = (page: Page) =>
    page.evaluate('document.querySelector("main").scrollWidth - document.querySelector("main").clientWidth')

  test.each([
    ['light', 'en', 1366],
    ['dark', 'id', 1024],
  ] as const)(
    'axe finds nothing serious, no word is missing, nothing is too wide: %s, %s, %i px',
    { timeout: 90_000 },
    async (theme, language, width) => {
      await app.owner('/api/settings', { method: 'PATCH', body: { language } })
      const page = await openWindow(app, '/', { theme, width, height: 700 })
      await page.locator(`html[lang=${language}]`).waitFor()
      for (const path of places) {
        await go(page, path)
        expect(await seriousFindings(page), path).toEqual([])
        expect(await page.locator('body').innerText(), path).not.toMatch(MISSING_WORD)
        expect(await tooWide(page), path).toBe(0)
      }
    },
  )
})
