import { readFile } from 'node:fs/promises'
import type { Locator } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { MessageRow } from '../../server/contract/messages.ts'
import type { WebhookView } from '../../server/contract/webhooks.ts'
import { formatsOf } from '../../server/words/format.ts'
import { SANDBOX, type TestApp } from '../support/app.ts'
import { axeFindings, describeWindow, openWindow, PAGES, PHONE, startWindowApp } from '../support/browser.ts'
import { textTemplate } from '../support/graph-peer/templates.ts'
import { newRow } from '../support/new-message.ts'
import { addEnded, addNumber } from '../support/numbers.ts'
import { startOfficial } from '../support/official.ts'
import { startReceiver } from '../support/receiver.ts'
import { beginning, text, textId } from '../support/texts.ts'

/** States of a shop that the window once showed wrongly, each with the words that are true. Home's are in home.test.ts. */
describeWindow('What the window once showed wrongly', () => {
  describe('a message that waits', () => {
    let app: TestApp
    const ids = new Map<string, string>()

    beforeAll(async () => {
      app = await startWindowApp('en', { lives: 'file' })
      const nextHour = (hours: number) => `${String((new Date().getHours() + hours) % 24).padStart(2, '0')}:00`
      const sender = async (name: string, fields: Record<string, unknown>) => app.sender('sandbox', { name, ...fields })
      const paused = await sender('Paused', {})
      await app.owner(`/api/senders/${paused}/pause`, { method: 'POST' })
      const quiet = await sender('Quiet', { quiet_hours: { from: nextHour(0), to: nextHour(2) } })
      const capped = await sender('Capped', { daily_cap: 1 })
      const unlinked = await app.sender('linked', { name: 'Unlinked' })
      const send = async (why: string, sender_code: string, fields = {}) => {
        const body = { sender_code, phone: '6281234567890', message: why, ...fields }
        const { data } = (await app.owner<{ id: string }>('/send', { body })).body
        ids.set(why, data.id)
        return data.id
      }
      await app.reached(await send('the first of the day', capped), 'sent', 'delivered', 'read')
      await send('daily_cap', capped)
      await send('paused', paused)
      await send('quiet_hours', quiet)
      await send('not_connected', unlinked)
      await send('delay', SANDBOX, { delay: 3600 })
      await send('queue', paused)
    })

    test.each([['paused'], ['not_connected'], ['quiet_hours'], ['daily_cap'], ['delay']] as const)(
      'says that it waits because of: %s',
      async (why) => {
        const { held_by, until } = (await app.owner<MessageRow>(`/messages/${ids.get(why)}`)).body.data
        expect(held_by).toBe(why)
        const page = await openWindow(app, `/messages?sandbox=with&status=queued&open=${ids.get(why)}`)
        const drawer = page.getByRole('dialog')
        await drawer.getByText(beginning(text(`states.messageHeld.${why}`))).waitFor()
        if (until !== null) expect(await drawer.getByRole('note').innerText()).toMatch(/\d/)
        expect(await drawer.getByText(text('messages.noCallbacks')).count()).toBe(1)
        const row = page.locator('tr[data-open]')
        await row
          .getByText(beginning(text(`states.messageHeld.${why}`)))
          .first()
          .waitFor()
        expect(await axeFindings(page)).toEqual([])
      },
    )

    test.each([1366, 1024])('in a list of all messages the reason comes before the text, at %i px', async (width) => {
      const page = await openWindow(app, '/messages?sandbox=with', { width, height: 768 })
      for (const why of ['daily_cap', 'not_connected', 'delay'] as const) {
        const row = page.getByRole('row').filter({ has: page.getByText(new RegExp(`· ${why}$`)) })
        await row
          .getByText(beginning(text(`states.messageHeld.${why}`)), { exact: true })
          .first()
          .waitFor()
      }
      expect(await axeFindings(page)).toEqual([])
    })

    test('a long reason leaves room for the text', async () => {
      await app.owner('/api/settings', { method: 'PATCH', body: { language: 'id' } })
      const page = await openWindow(app, '/messages?sandbox=with')
      const why = page.getByText(textId('states.messageHeld.not_connected'), { exact: true }).first()
      const cell = page.getByRole('cell').filter({ has: why }).first()
      const endOf = async (part: Locator) => {
        const { x, width } = (await part.boundingBox()) ?? { x: 0, width: 0 }
        return x + width
      }
      await why.waitFor()
      expect((await endOf(cell)) - (await endOf(why))).toBeGreaterThan(100)
      // The time is at its end.
      const timed = page.getByText(beginning(textId('states.messageHeld.delay'))).first()
      const overflowOf = (part: Locator) =>
        part.evaluate((element) => element.ownerDocument.defaultView?.getComputedStyle(element).textOverflow)
      expect([await overflowOf(why), await overflowOf(timed)]).toEqual(['ellipsis', 'clip'])
    })

    test('on a phone the reason is the second line of its row', async () => {
      await app.owner('/api/settings', { method: 'PATCH', body: { language: 'id' } })
      const page = await openWindow(app, '/messages?sandbox=with&status=queued', PHONE)
      await page.getByText(textId('states.messageHeld.not_connected')).first().waitFor()
      await page
        .getByText(beginning(textId('states.messageHeld.delay')))
        .first()
        .waitFor()
      expect(await axeFindings(page)).toEqual([])
    })
  })

  test('a receiver that works again: no "failing" beside a good test, what waits is counted and delivered', async () => {
    const receiver = await startReceiver()
    receiver.always({ status: 500, body: 'no database' })
    const app = await startWindowApp()
    await app.owner('/api/webhooks', { body: { url: receiver.url } })
    const body = { sender_code: SANDBOX, phone: '6281234567890', message: 'halo' }
    const { data } = (await app.owner<{ id: string }>('/send', { body })).body
    await app.reached(data.id, 'read')
    const page = await openWindow(app, '/webhooks?open=1')
    const drawer = page.getByRole('dialog')
    await drawer.getByText(text('webhooks.health.failing'), { exact: true }).waitFor()
    await drawer.getByRole('button', { name: text('webhooks.deliverNow') }).waitFor()
    await drawer.getByText(text('webhooks.error.answered', { status: 500 })).waitFor()
    await app.owner('/api/settings', { method: 'PATCH', body: { language: 'id' } })
    const said = textId('webhooks.error.answered', { status: 500 })
    await drawer.getByText(said).waitFor()
    expect(await page.locator('body').innerText()).not.toContain('answered')
    await app.owner('/api/settings', { method: 'PATCH', body: { language: 'en' } })
    await drawer.getByText(said).waitFor({ state: 'detached' })
    receiver.always({ status: 200 })
    await drawer.getByRole('button', { name: text('webhooks.test'), exact: true }).click()
    await drawer.getByText(text('webhooks.testResult.good', { status: 200 })).waitFor()
    await drawer.getByText(text('webhooks.health.failing'), { exact: true }).waitFor({ state: 'detached' })
    await drawer.getByText(text('webhooks.healthHint.well')).waitFor()
    await drawer.getByRole('button', { name: text('webhooks.deliverNow') }).waitFor({ state: 'detached' })
    expect(await axeFindings(page)).toEqual([])
    await page.goto(`${app.url}/messages?open=${data.id}`)
    await page
      .getByText(text('messages.callbackTo', { address: receiver.url.replace('http://', '') }))
      .first()
      .waitFor()
  })

  // Picture 07: the address was corrected, 468 callbacks waited on, and the drawer said that everything is well.
  test('a corrected address: never well while callbacks wait, and they come at once', async () => {
    const old = await startReceiver()
    old.always({ status: 500, body: 'no database' })
    const app = await startWindowApp()
    await app.owner('/api/webhooks', { body: { url: old.url, events: ['message.read'] } })
    const ids: string[] = []
    for (const n of [1, 2, 3]) {
      const body = { sender_code: SANDBOX, phone: `628123456789${n}`, message: 'halo' }
      ids.push((await app.owner<{ id: string }>('/send', { body })).body.data.id)
    }
    for (const id of ids) await app.reached(id, 'read')
    const page = await openWindow(app, '/webhooks?open=1')
    const drawer = page.getByRole('dialog')
    await drawer.getByText(text('webhooks.health.failing'), { exact: true }).waitFor()
    expect(await drawer.getByText(text('webhooks.healthHint.well')).count()).toBe(0)
    const corrected = await startReceiver()
    await drawer.getByRole('textbox', { name: text('webhooks.form.url') }).fill(corrected.url)
    await drawer.getByRole('button', { name: text('actions.save') }).click()
    await corrected.calls(3)
    await drawer.getByText(text('webhooks.healthHint.well')).waitFor()
    expect((await app.owner<WebhookView[]>('/api/webhooks')).body.data[0]?.pending).toBe(0)
  })

  // Picture 11: "12 h lalu", "Diterima" for what only Meta has, and raw JSON in place of the text.
  test('the log of an official number, in Indonesian: the day, whose turn it is, what the customer reads', async () => {
    const { peer, app, code } = await startOfficial({
      overrides: { pages: PAGES },
      prepare: ({ state }) => {
        state.templates = [textTemplate('tagihan_baru', 'id', 'Halo {{1}}, tagihan Anda Rp {{2}}.')]
      },
    })
    await app.owner('/api/settings', { method: 'PATCH', body: { onboarded: true, language: 'id' } })
    const createdAt = Date.now() - 12 * 86_400_000
    const parameters = ['Sari', '184.500'].map((value) => ({ type: 'text', text: value }))
    await app.app.store.messages.accept(
      newRow({
        ...{ senderId: app.app.store.senders.byCode(code)?.id ?? 0, channel: 'template', body: null },
        template: { name: 'tagihan_baru', language: 'id', components: [{ type: 'body', parameters }] },
        ...{ status: 'accepted', createdAt, nextAt: null, providerMessageId: 'wamid.1' },
      }),
      { unique: false },
    )
    expect(peer.state.templates).toHaveLength(1)
    for (const size of [{}, PHONE]) {
      const page = await openWindow(app, '/api-message-logs', size)
      const row = page.getByRole('row').filter({ hasText: 'Halo Sari, tagihan Anda Rp 184.500.' })
      await row.waitFor()
      expect(await row.innerText()).not.toMatch(/lalu|Diterima|tagihan_baru/)
      await row.getByText(textId('states.message.accepted')).first().waitFor()
      await row.getByText(formatsOf('id').weekday(new Date(createdAt).toISOString(), Date.now())).waitFor()
      await row.getByRole('link').click()
      const drawer = page.getByRole('dialog')
      await drawer.getByText('Halo Sari, tagihan Anda Rp 184.500.').waitFor()
      expect(await drawer.getByText(textId('messages.variables')).count()).toBe(0)
      expect(await axeFindings(page)).toEqual([])
    }
  })

  // Picture 12: the limit of the day was passed, and the card named quiet hours that were hours away.
  test('a limit that is reached is the reason, not quiet hours that have not begun', async () => {
    const app = await startWindowApp()
    const hour = (later: number) => `${String((new Date().getHours() + later) % 24).padStart(2, '0')}:00`
    const code = await app.sender('sandbox', {
      ...{ name: 'Kemang', daily_cap: 1, quiet_hours: { from: hour(3), to: hour(5) } },
    })
    const body = { sender_code: code, phone: '6281234567890', message: 'halo' }
    await app.reached((await app.owner<{ id: string }>('/send', { body })).body.data.id, 'read')
    await app.owner('/send', { body })
    for (const [language, t] of [
      ['en', text],
      ['id', textId],
    ] as const) {
      await app.owner('/api/settings', { method: 'PATCH', body: { language } })
      const page = await openWindow(app, '/', PHONE)
      const card = page.getByRole('article').filter({ hasText: 'Kemang' })
      for (const width of [390, 1024, 1366]) {
        await page.setViewportSize({ width, height: 800 })
        await card.getByText(beginning(t('states.heldBy.daily_cap', { when: '' }).trimEnd())).waitFor()
        expect(await card.getByText(beginning(t('states.heldBy.quiet_hours', { when: '' }).trimEnd())).count()).toBe(0)
        await card.getByText(t('senders.ofCap', { count: 1, cap: 1 })).waitFor()
      }
    }
  })

  test('what was only played is in no list, no count and no table, unless it is asked for', async () => {
    const app = await startWindowApp()
    const shop = await addNumber(app, 'Toko Budi')
    await addEnded(app, shop, 1, 'read')
    const body = { sender_code: SANDBOX, phone: '6281234567890', message: 'only played' }
    await app.reached((await app.owner<{ id: string }>('/send', { body })).body.data.id, 'read')
    const page = await openWindow(app, '/')
    await page.getByRole('link', { name: text('home.today', { count: 1 }) }).click()
    const rows = page.getByRole('row').filter({ has: page.getByRole('link') })
    await rows.filter({ hasText: 'Halo' }).waitFor()
    expect(await rows.count()).toBe(1)
    await page.getByRole('button', { name: text('messages.export') }).click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: text('messages.layout.data') }).click(),
    ])
    expect(await readFile(await file.path(), 'utf8')).not.toContain('only played')
    await page.getByRole('button', { name: text('messages.sandbox'), exact: true }).click()
    await page.getByRole('menuitemradio', { name: text('messages.sandboxParts.only') }).click()
    await rows.filter({ hasText: 'only played' }).waitFor()
    await expect.poll(() => rows.count()).toBe(1)
    await app.owner('/send', { body: { ...body, message: 'played while it is open' } })
    await rows.filter({ hasText: 'played while it is open' }).waitFor()
  })

  test('an Indonesian owner reads in Indonesian what is wrong with a number, and it is marked', async () => {
    const app = await startWindowApp('id')
    const page = await openWindow(app, `/write?sender=${SANDBOX}`)
    await page.getByRole('textbox', { name: textId('write.message') }).fill('Halo')
    await page.getByRole('combobox', { name: textId('write.phone') }).fill('12')
    await page.getByRole('button', { name: textId('write.send'), exact: true }).click()
    const field = page.getByRole('combobox', { name: textId('write.phone') })
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true')
    expect(await page.locator('main').innerText()).not.toMatch(/\bmust\b|\bdigits\b/)
  })

  test('the first number that an owner types begins with 0, and works', async () => {
    const app = await startWindowApp('id')
    const page = await openWindow(app, `/write?sender=${SANDBOX}`)
    await page.getByRole('textbox', { name: textId('write.message') }).fill('Halo')
    await page.getByRole('combobox', { name: textId('write.phone') }).fill('0812-9011-4473')
    await page.getByRole('button', { name: textId('write.send'), exact: true }).click()
    await expect
      .poll(async () => (await app.owner<MessageRow[]>('/messages')).body.data.map(({ recipient }) => recipient))
      .toEqual(['6281290114473'])
  })
})
