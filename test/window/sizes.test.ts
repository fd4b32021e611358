import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { LANGUAGES } from '../../server/contract/settings.ts'
import { WORDS } from '../../server/words/index.ts'
import { SANDBOX, startApp, type TestApp } from '../support/app.ts'
import { describeWindow, openWindow, PAGES } from '../support/browser.ts'
import { startGraphPeer } from '../support/graph-peer/graph-peer.ts'
import { addEnded, addNumber, addWaiting, changeNumber } from '../support/numbers.ts'
import { addOfficial } from '../support/official.ts'
import { startReceiver } from '../support/receiver.ts'
import { beginning, text, textId } from '../support/texts.ts'

const WIDTHS = [390, 768, 1024, 1366]
const TEXTS = { en: text, id: textId }

/** What an owner has to see in each of both languages at each of four sizes. */
describeWindow('At four sizes and in both languages', () => {
  let app: TestApp
  let official: string
  let otherPhone: string
  let waiting: string

  beforeAll(async () => {
    const graph = await startGraphPeer()
    app = await startApp({ lives: 'file', env: { KURIR_GRAPH_URL: graph.url }, overrides: { pages: PAGES } })
    official = await addOfficial(app)
    await app.owner('/api/settings', { method: 'PATCH', body: { onboarded: true } })
    const shop = await addNumber(app, 'Bekasi')
    await addEnded(app, shop, 2, 'read')
    await addWaiting(app, shop, 3)
    await changeNumber(app, shop, { state: 'logged_out', reason: 'unlinked_on_phone' })
    otherPhone = await addNumber(app, 'Depok')
    await addWaiting(app, otherPhone, 1)
    await changeNumber(app, otherPhone, { phone: '6282222222222', previousPhone: '6281111111111' })
    await changeNumber(app, official, { state: 'offline', reason: 'token_refused' })
    const receiver = await startReceiver({ lives: 'file' })
    receiver.always({ status: 500, body: 'no database' })
    await app.owner('/api/webhooks', { body: { url: receiver.url, events: ['message.read'] } })
    const send = async (sender_code: string) => {
      const body = { sender_code, phone: '6281234567890', message: 'halo' }
      return (await app.owner<{ id: string }>('/send', { body })).body.data.id
    }
    waiting = await send(shop)
    await app.reached(await send(SANDBOX), 'read')
    await receiver.calls(1)
    return graph.close
  })

  async function go(page: Page, path: string): Promise<void> {
    await page.evaluate(`history.pushState(null, '', '${path}')`)
  }

  /** Seen without pushing anything sideways. */
  async function isSeen(page: Page, what: Locator): Promise<void> {
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 844 })
      await what.first().waitFor()
      const { x = -1, width: its = 0 } = (await what.first().boundingBox()) ?? {}
      expect(x, `${width}`).toBeGreaterThanOrEqual(0)
      expect(x + its, `${width}`).toBeLessThanOrEqual(width)
    }
  }

  test.each(LANGUAGES)('the sentence, the reasons, the numbers, the right button: %s', async (language) => {
    const t = TEXTS[language]
    await app.owner('/api/settings', { method: 'PATCH', body: { language } })
    const page = await openWindow(app, '/')
    await page.locator(`html[lang=${language}]`).waitFor()
    await isSeen(page, page.getByRole('heading', { level: 1, name: 'Bekasi' }))
    await isSeen(page, page.getByRole('link', { name: t('home.waiting', { count: 5 }) }))
    await go(page, `/messages?open=${waiting}`)
    await isSeen(page, page.getByRole('note').getByText(beginning(t('states.messageHeld.not_connected'))))
    await go(page, '/messages?q=0812-3456-7890')
    await isSeen(page, page.getByRole('row').getByText('+62 812-3456-7890'))
    await go(page, `/senders?open=${otherPhone}`)
    await isSeen(page, page.getByRole('button', { name: t('senders.otherPhone.wrong') }))
    await go(page, `/senders?open=${official}`)
    await isSeen(page, page.getByRole('dialog').getByText(WORDS[language].concerns.token_refused.advice))
    await go(page, '/senders')
    const enterToken = page.getByRole('link', { name: WORDS[language].actions.enter_token })
    await isSeen(
      page,
      page.getByRole('row', { name: 'Toko' }).filter({ has: enterToken }).getByText(t('states.troubled')),
    )
    await isSeen(page, enterToken)
    await go(page, '/webhooks?open=1')
    await isSeen(page, page.getByRole('button', { name: t('webhooks.deliverNow') }))
    await isSeen(page, page.getByRole('dialog').getByText(t('webhooks.error.answered', { status: 500 })))
    await go(page, '/customers/081234567890')
    await isSeen(page, page.getByText(beginning(t('customers.total', { count: 7, since: '' }).trimEnd())))
  })

  test.each(LANGUAGES)('what is typed is asked about before it is lost: %s', async (language) => {
    const t = TEXTS[language]
    await app.owner('/api/settings', { method: 'PATCH', body: { language } })
    const page = await openWindow(app, `/senders?open=${SANDBOX}`)
    await page.getByLabel(t('senders.form.cap')).fill('99')
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 844 })
      await page.getByRole('dialog', { name: 'Sandbox' }).waitFor()
      await page.keyboard.press('Escape')
      const question = page.getByRole('dialog', { name: t('leave.unsaved') })
      await question.waitFor()
      await question.getByRole('button', { name: t('leave.keepEditing') }).click()
      await question.waitFor({ state: 'detached' })
      expect(await page.getByLabel(t('senders.form.cap')).inputValue()).toBe('99')
    }
  })
})
