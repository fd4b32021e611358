import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { en } from '../../server/words/en/index.ts'
import { SANDBOX, type TestApp } from '../support/app.ts'
import { describeWindow, openWindow, PAGES, PHONE as SMALL, startWindowApp } from '../support/browser.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startHttpServer } from '../support/http-server.ts'
import { watchRequests } from '../support/quiet.ts'
import { beginning, text, textId } from '../support/texts.ts'

const ASSETS = join(PAGES, 'assets')
const PHONE = '6281234567890'

const send = async (app: TestApp, body: Record<string, unknown>) =>
  (await app.owner<{ id: string }>('/send', { body: { sender_code: SANDBOX, phone: PHONE, message: 'halo', ...body } }))
    .body.data.id

/** As a link of the window would lead there. */
const toWelcome = "history.pushState(null, '', '/welcome')"

describeWindow('A link that is right while the database is gone', () => {
  test('says what is wrong, not that its reader is no owner, and works afterwards', async () => {
    const home = join(temporaryFolder(), 'kurir')
    const app = await startWindowApp('en', { home })
    const page = await openWindow(app, '/')
    await page.getByRole('navigation').waitFor()
    await page.goto('about:blank')
    await page.context().clearCookies()
    const { url } = app.app.newWindowLink()
    renameSync(join(home, 'kurir.db'), join(home, 'elsewhere'))
    await eventually(async () => (await app.fetch('/health')).status === 503)
    await page.goto(url)
    const { title, advice } = en.concerns.storage_gone
    await page.getByText(title).waitFor()
    await page.getByText(advice).waitFor()
    expect(await page.getByText(text('errors.ownerOnly')).count()).toBe(0)

    renameSync(join(home, 'elsewhere'), join(home, 'kurir.db'))
    await eventually(async () => (await app.fetch('/health')).status === 200)
    await page.goto('about:blank')
    await page.goto(url)
    await page.getByRole('navigation').waitFor()
  })
})

describeWindow('Pages', () => {
  test('that were never visited open while the server is away, and heal by themselves', async () => {
    const home = mkdtempSync(join(tmpdir(), 'kurir-test-'))
    onTestFinished(() => rmSync(home, { recursive: true, force: true }))
    const before = await startWindowApp('en', { home })
    const page = await openWindow(before, '/messages?sandbox=with')
    const quiet = watchRequests(page)
    await page.getByText(text('messages.empty')).waitFor()
    await quiet()
    await before.close()
    await page.getByText(text('connection.lost')).waitFor()

    await page.getByText(text('nav.groups.programs')).click()
    await page.getByRole('link', { name: text('nav.pages.keys') }).click()
    await page.getByRole('heading', { name: text('keys.title') }).waitFor()
    await page.getByText(text('errors.connection')).waitFor()
    await page.evaluate(toWelcome)
    await page.getByRole('heading', { name: text('welcome.title') }).waitFor()
    await page.goBack()
    expect(await page.getByText(text('errors.crashed')).count()).toBe(0)

    await startWindowApp('en', { home, env: { KURIR_PORT: new URL(page.url()).port } })
    await page.getByText(text('keys.empty')).waitFor()
    await page.getByText(text('errors.connection')).waitFor({ state: 'detached' })
  })

  test('are all fetched once the first one is there: no part of them can be missing later, as after an update', async () => {
    const app = await startWindowApp()
    const page = await openWindow(app, '/')
    const all = readdirSync(ASSETS)
      .filter((name) => /\.(js|css)$/.test(name))
      .sort()
    // Also what the browser had kept.
    const loaded = async () => {
      const names = (await page.evaluate(
        "performance.getEntriesByType('resource').map(({ name }) => name)",
      )) as string[]
      return [...new Set(names.filter((name) => /\.(js|css)$/.test(name)).map((name) => basename(name)))].sort()
    }
    await expect.poll(loaded).toEqual(all)
    let later = 0
    page.on('request', (request) => {
      if (['script', 'stylesheet', 'document'].includes(request.resourceType())) later += 1
    })
    for (const link of await page.getByRole('navigation').getByRole('link').all()) {
      await link.click()
      await page.getByRole('heading', { level: 1 }).waitFor()
    }
    await page.getByRole('button', { name: beginning(`${text('nav.language')}:`) }).click()
    await page.getByRole('menuitem', { name: 'Bahasa Indonesia' }).click()
    await page.getByRole('heading', { level: 1, name: textId('settings.title') }).waitFor()
    expect(later).toBe(0)
  })

  test('whose script cannot be fetched for a moment leave Home as it is, and come with it', async () => {
    const page = await openWindow(await startWindowApp(), '/', SMALL)
    const notFirst = (url: URL) => /\/later-[\w-]+\.js$/.test(url.pathname)
    let refused = 0
    let textsRefused = 0
    await page.route(/\/english-[\w-]+\.js$/, (route) => {
      textsRefused += 1
      return textsRefused === 1 ? route.abort() : route.continue()
    })
    await page.route(notFirst, (route) => {
      refused += 1
      return route.abort()
    })
    await page.reload()
    await expect.poll(() => refused).toBeGreaterThan(0)
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(textsRefused, 'the texts were asked for again').toBeGreaterThan(1)
    const more = page.getByRole('button', { name: text('nav.more') })
    await more.click()
    // The menu was asked for before its script was there: the window begins anew with it.
    const again = page.waitForEvent('load')
    await page.unrouteAll()
    await again
    await more.click()
    await page.getByRole('menuitem', { name: text('nav.pages.keys') }).click()
    await page.getByRole('heading', { name: text('keys.title') }).waitFor()
    expect(await page.getByText(text('errors.crashed')).count()).toBe(0)
  })

  test('whose script is still on its way show that it works', async () => {
    const page = await openWindow(await startWindowApp(), '/')
    await page.route(/\/later-[\w-]+\.js$/, (route) => route.abort())
    await page.reload()
    await page.getByRole('link', { name: text('nav.pages.customers') }).click()
    await page.getByRole('status', { name: text('list.loading') }).waitFor()
    await page.unrouteAll()
    await page.getByRole('heading', { name: text('customers.title') }).waitFor()
  })

  test.each([
    ['/messages?sandbox=with', 'messages'],
    ['/webhooks', 'deliveries'],
  ])('%s asks for more rows once, not again and again, where that fails', async (path, list) => {
    const app = await startWindowApp()
    await app.owner('/api/webhooks', { body: { url: 'http://127.0.0.1:9/' } })
    await app.owner('/api/webhooks/1/test', { method: 'POST' })
    await send(app, {})
    const page = await openWindow(app, '/nowhere')
    let asked = 0
    let fails = true
    await page.route(`**/api/${list}?*`, async (route) => {
      const isMore = new URL(route.request().url()).searchParams.has('cursor')
      if (isMore) asked += 1
      if (isMore && fails) return route.fulfill({ status: 500, json: {} })
      if (isMore) return route.fulfill({ json: { data: [], next_cursor: null } })
      const response = await route.fetch()
      return route.fulfill({ json: { ...(await response.json()), next_cursor: fails ? '1' : null } })
    })
    await page.goto(app.url + path)
    await page.getByText(text('errors.unreadable')).waitFor()
    // What comes meanwhile is shown.
    const count = await page.locator('tbody tr').count()
    await send(app, { message: 'once more' })
    await expect.poll(() => page.locator('tbody tr').count()).toBeGreaterThan(count)
    expect(asked).toBeLessThan(10)
    // Whatever comes next ends the error, before anybody could press its button.
    fails = false
    await send(app, { message: 'and again' })
    await page.getByText(text('errors.unreadable')).waitFor({ state: 'detached' })
    // More news may still be read when the page closes.
    await page.unrouteAll({ behavior: 'wait' })
  })

  test('with a button that acts say why it was refused', async () => {
    const app = await startWindowApp()
    await app.owner(`/api/senders/${SANDBOX}/pause`, { method: 'POST' })
    const page = await openWindow(app, '/')
    const error = { code: 'storage_unavailable' }
    await page.route('**/resume', (route) =>
      route.fulfill({ status: 503, json: { success: false, message: 'The disk is full.', error } }),
    )
    await page.getByRole('button', { name: text('senders.resume') }).click()
    await page.getByRole('alert').getByText('The disk is full.').waitFor()
  })

  test('other than Home are not in the script that has to be read before Home is shown', () => {
    const [first = ''] = /assets\/[\w-]+\.js/.exec(readFileSync(join(PAGES, 'index.html'), 'utf8')) ?? []
    const bytes = (name: string) => statSync(join(ASSETS, name)).size
    const all = readdirSync(ASSETS).filter((name) => name.endsWith('.js'))
    expect(bytes(basename(first))).toBeLessThan(all.reduce((sum, name) => sum + bytes(name), 0) * 0.55)
  })
})

describeWindow('What a caller sends', () => {
  /** The lists show all messages, the dialog one after the other. */
  async function everywhere(page: Page, app: TestApp, ids: string[]): Promise<void> {
    await page.goto(`${app.url}/write?sender=${SANDBOX}`)
    await expect.poll(() => page.getByRole('log').getByRole('article').count()).toBeGreaterThanOrEqual(ids.length)
    await page.goto(`${app.url}/messages?sandbox=with`)
    await expect.poll(() => page.getByRole('link', { name: /halo/ }).count()).toBe(ids.length)
    for (const id of ids) {
      await page.goto(`${app.url}/messages?sandbox=with&open=${id}`)
      await page.getByRole('dialog').getByText('halo').waitFor()
    }
    await page.goto(`${app.url}/welcome`)
    await page.getByRole('log').getByRole('article').first().waitFor()
  }

  test('what changes between the first answers and the live stream is not missed', async () => {
    const app = await startWindowApp()
    const page = await openWindow(app, '/nowhere')
    await page.getByText(text('page.notFound')).waitFor()
    const changed = Promise.withResolvers<void>()
    await page.route('**/api/events', async (route) => {
      await changed.promise
      await route.continue()
    })
    await page.goto(`${app.url}/senders`)
    const row = page.getByRole('row', { name: 'Sandbox' })
    await row.getByText(text('states.sender.connected')).waitFor()
    await app.owner(`/api/senders/${SANDBOX}/pause`, { method: 'POST' })
    changed.resolve()
    await row.getByText(text('states.sender.paused')).waitFor()
  })

  test('a broken percent sign in an address ends no page', async () => {
    const app = await startWindowApp()
    const id = await send(app, { file: 'http://files.example/%E0%A4%A.pdf' })
    const page = await openWindow(app, `/write?sender=${SANDBOX}`)
    await page.getByRole('log').getByText('%E0%A4%A.pdf').waitFor()
    await everywhere(page, app, [id])
    expect(await page.getByText(text('errors.crashed')).count()).toBe(0)
  })

  test('its address is not loaded by any page', async () => {
    const asked: string[] = []
    const theirs = await startHttpServer((request, response) => {
      asked.push(request.url ?? '')
      response.end()
    })
    onTestFinished(theirs.close)
    const app = await startWindowApp()
    const ids: string[] = []
    for (const file of ['photo.jpg', 'film.mp4', 'voice.ogg', 'bill.pdf']) {
      ids.push(await send(app, { file: `${theirs.url}/${file}` }))
    }
    // The server itself may look at files, the window must not.
    for (const id of ids) await app.reached(id, 'failed', 'sent', 'delivered', 'read')
    const byServer = asked.splice(0)
    const page = await openWindow(app, `/write?sender=${SANDBOX}`)
    const outside: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(app.url) && !request.url().startsWith('data:')) outside.push(request.url())
    })
    const quiet = watchRequests(page)
    await everywhere(page, app, ids)
    await quiet()
    expect({ outside, asked }, `the server asked for ${byServer.join()}`).toEqual({ outside: [], asked: [] })
  })
})
