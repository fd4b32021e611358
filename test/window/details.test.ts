import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import type { ConcernCode } from '../../server/contract/concerns.ts'
import type { SenderView } from '../../server/contract/senders.ts'
import { WORDS } from '../../server/words/index.ts'
import { SANDBOX, type TestApp } from '../support/app.ts'
import { describeWindow, openWindow, PAGES, PHONE, startWindowApp } from '../support/browser.ts'
import { addEnded, addNumber, changeNumber } from '../support/numbers.ts'
import { startOfficial } from '../support/official.ts'
import { text, textId } from '../support/texts.ts'

const NAME = 'Toko Melati Bekasi Timur'

/** What is cut off with an ellipsis, as it is shown. */
const cutIn = (page: Page, selector: string) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('${selector}')].filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.innerText)`,
  )

describeWindow('Details', () => {
  let app: TestApp
  let shop: string

  beforeAll(async () => {
    app = await startWindowApp('en', { lives: 'file' })
    shop = await addNumber(app, NAME)
    await addEnded(app, shop, 40, 'read')
    await app.key({ name: 'Till' })
    await app.owner('/api/webhooks', { body: { url: 'http://127.0.0.1:9/kurir' } })
  })

  test('where there is room a name is whole; beside a drawer number, time and part of the text are', async () => {
    const page = await openWindow(app, '/messages', { width: 2560, height: 1440 })
    await page.getByRole('row').filter({ hasText: NAME }).first().waitFor()
    expect(await cutIn(page, 'td[data-column=sender] span')).toEqual([])
    await page
      .getByRole('link')
      .filter({ hasText: text('states.message.read') })
      .first()
      .click()
    await page.getByRole('dialog').waitFor()
    for (const width of [1280, 1366]) {
      await page.setViewportSize({ width, height: 768 })
      await expect.poll(() => page.getByRole('columnheader').count()).toBe(4)
      expect(await cutIn(page, 'td[data-column=to], td[data-column=time]'), `${width}`).toEqual([])
      const { width: room = 0 } = (await page.locator('td[data-column=text]').first().boundingBox()) ?? {}
      expect(room).toBeGreaterThan(180)
      const { height = 0 } = (await page.locator('main header').first().boundingBox()) ?? {}
      expect(height, 'the buttons are in one line').toBeLessThan(48)
    }
  })

  test('a row that an address opens is seen, not behind the edge of the list', async () => {
    const { data } = (await app.owner<{ id: string }[]>('/messages?limit=40')).body
    const page = await openWindow(app, `/messages?open=${data.at(30)?.id}`)
    const row = page.locator('tr[data-open]')
    await row.waitFor()
    const list = await page.locator('[class*=scroller]').boundingBox()
    const { y, height } = (await row.boundingBox()) ?? { y: 0, height: 0 }
    expect(y + height).toBeLessThanOrEqual((list?.y ?? 0) + (list?.height ?? 0))
  })

  test.each([960, 1024, 1279])(
    'at %i px the drawer leaves seen which row is open, and steps to the next one',
    async (width) => {
      const page = await openWindow(app, '/messages', { width })
      await page.getByRole('row').nth(3).getByRole('link').click()
      const drawer = page.getByRole('dialog')
      const edge = (await drawer.boundingBox())?.x ?? 0
      const open = page.locator('tr[data-open]')
      const number = open.locator('td[data-column=to] > span')
      const first = await drawer.getByRole('heading').first().innerText()
      const { x = 0, width: wide = edge } = (await number.boundingBox()) ?? {}
      if (width >= 1024) expect(x + wide).toBeLessThanOrEqual(edge)
      const place = await open.getAttribute('aria-rowindex')
      await drawer.getByRole('button', { name: text('actions.nextRow') }).click()
      await expect.poll(() => open.getAttribute('aria-rowindex')).toBe(String(Number(place) + 1))
      expect(await drawer.isVisible(), first).toBe(true)
    },
  )

  test('at 1024 px the page of a customer names the sender whole', async () => {
    const phone = (await app.owner<{ recipient: string }[]>('/api/messages?limit=1')).body.data[0]?.recipient
    const page = await openWindow(app, `/customers/${phone}`, { width: 1024 })
    await page.getByRole('row').filter({ hasText: NAME }).first().waitFor()
    expect(await cutIn(page, 'td[data-column=sender], td[data-column=sender] span')).toEqual([])
  })

  test('every list has the same kind of head', async () => {
    const page = await openWindow(app, '/messages')
    const looks = new Set<string>()
    for (const path of ['/messages', '/senders', '/webhooks', '/keys']) {
      await page.goto(app.url + path)
      const head = page.getByRole('columnheader').first()
      await head.waitFor()
      looks.add(
        await page.evaluate(
          `(() => { const { fontSize, fontWeight, color, height } = getComputedStyle(document.querySelector('thead tr')); return [fontSize, fontWeight, color, height].join(' ') })()`,
        ),
      )
    }
    expect([...looks]).toHaveLength(1)
  })

  test('the call of the introduction says that it goes to the sandbox, and what to write for the real number', async () => {
    const page = await openWindow(app, '/welcome?step=key')
    await page.getByText(text('welcome.key.callReal', { name: NAME, code: shop })).waitFor()
  })

  test('the link page asks for the number before the phone is needed, and leads back', async () => {
    const code = await app.sender('linked', { name: 'Baru' })
    const page = await openWindow(app, `/senders/${code}/link`, PHONE)
    await page.getByText(text('senders.linking.stepNumber')).waitFor()
    expect(await page.locator('main ol li').first().innerText()).toBe(text('senders.linking.stepNumber'))
    await page.getByRole('link', { name: text('senders.linking.back') }).click()
    await page.getByRole('dialog', { name: 'Baru' }).waitFor()
  })

  test('an upright tablet has the rows of a phone: states are whole, nothing is pushed sideways', async () => {
    const code = await addNumber(app, 'Bogor', { state: 'restricted', reason: 'restricted_by_whatsapp' })
    const page = await openWindow(app, '/senders', { width: 768, height: 1024 })
    await page.getByRole('row', { name: 'Bogor' }).waitFor()
    expect(await cutIn(page, 'td[data-column=state] span')).toEqual([])
    await page.goto(`${app.url}/senders/${code}/link`)
    await page.getByText(text('senders.linking.stepOpen')).first().waitFor()
    const main = page.getByRole('main')
    expect(await main.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  })

  test('a list shows the longest numbers whole', async () => {
    const phone = '62812345678120'
    await app.owner('/send', { body: { sender_code: SANDBOX, phone, message: 'halo' } })
    const page = await openWindow(app, '/messages?sandbox=with', { width: 1366, height: 768 })
    const cell = page.getByRole('cell').filter({ has: page.getByText('+62 8123-4567-8120') })
    const hidden = await cell.evaluate((element) =>
      Math.max(...[element, ...element.querySelectorAll('*')].map((one) => one.scrollWidth - one.clientWidth)),
    )
    expect(hidden).toBe(0)
  })

  test('the drawer of a number that WhatsApp stopped offers what helps, and nothing that harms', async () => {
    // Named so that nobody presses it before: "do not link it again today" stands above it.
    const [link, retry] = [text('senders.worksAgainLink'), text('senders.worksAgainTry')]
    expect([link, textId('senders.worksAgainLink')]).toEqual([
      expect.stringMatching(/^A day has passed/),
      expect.stringMatching(/^Sudah lewat sehari/),
    ])
    const { link_again: bare, try_again: bareRetry } = WORDS.en.actions
    const code = await addNumber(app, 'Tangerang')
    const page = await openWindow(app, `/senders?open=${code}`)
    const drawer = page.getByRole('dialog')
    const offered = async (state: 'restricted' | 'logged_out', reason: ConcernCode) => {
      await changeNumber(app, code, { state, reason })
      await drawer.getByText(WORDS.en.concerns[reason].advice).waitFor()
      for (const name of [bare, bareRetry]) expect(await drawer.getByText(name, { exact: true }).count()).toBe(0)
      return {
        link: await drawer.getByRole('link', { name: link, exact: true }).count(),
        retry: await drawer.getByRole('button', { name: retry, exact: true }).count(),
      }
    }
    expect(await offered('restricted', 'locked')).toEqual({ link: 0, retry: 1 })
    expect(await offered('restricted', 'banned')).toEqual({ link: 0, retry: 1 })
    expect(await offered('restricted', 'temporarily_banned')).toEqual({ link: 0, retry: 0 })
    expect(await offered('logged_out', 'removed_by_whatsapp')).toEqual({ link: 1, retry: 0 })
  })

  test('an official number whose statuses cannot arrive is not said to be ready', async () => {
    const official = await startOfficial({ overrides: { pages: PAGES } })
    await official.app.owner('/api/settings', { method: 'PATCH', body: { onboarded: true, language: 'id' } })
    const { state, official: access } = (await official.app.owner<SenderView>(`/api/senders/${official.code}`)).body
      .data
    expect([state, access?.checks.some(({ ok }) => !ok)]).toEqual(['connected', true])
    const page = await openWindow(official.app, `/senders?open=${official.code}`)
    const drawer = page.getByRole('dialog')
    await drawer.getByText('Meta tidak dapat melapor ke Toko apakah pesan sampai.').waitFor()
    const settings = page.getByRole('link', { name: WORDS.id.actions.open_settings, exact: true })
    expect(await drawer.locator(settings).getAttribute('href')).toBe('/settings#meta')
    const well = [textId('states.sender.connected'), textId('states.senderHint.connected')]
    for (const words of well) expect(await drawer.getByText(words, { exact: true }).count(), words).toBe(0)
    await page.keyboard.press('Escape')
    const row = page.getByRole('row', { name: 'Toko' })
    await row.getByText(textId('states.troubled')).waitFor()
    expect(await row.locator(settings).getAttribute('href')).toBe('/settings#meta')
    await page.goto(`${official.app.url}/`)
    await page.getByRole('article').filter({ has: settings }).getByText(textId('states.troubled')).waitFor()
  })
})
