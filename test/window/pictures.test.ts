import { beforeAll, describe, expect, test } from 'vitest'
import type { MessageRow } from '../../server/contract/messages.ts'
import { SANDBOX, type TestApp } from '../support/app.ts'
import { axeFindings, describeWindow, openWindow, PHONE, startWindowApp } from '../support/browser.ts'
import { startReceiver } from '../support/receiver.ts'
import { beginning, text, textId } from '../support/texts.ts'

/** States of a shop that the window once told wrongly, each with the words that are true. Home's are in home.test.ts. */
describeWindow('What the window once told wrongly', () => {
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
        const row = page
          .getByRole('row')
          .filter({ hasText: why === 'delay' ? 'Sandbox' : /Paused|Quiet|Capped|Unlinked/ })
        await row
          .getByText(beginning(text(`states.messageHeld.${why}`)))
          .first()
          .waitFor()
        expect(await axeFindings(page)).toEqual([])
      },
    )

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

  test('an Indonesian owner reads in Indonesian what is wrong with a number, and it is marked', async () => {
    const app = await startWindowApp('id')
    const page = await openWindow(app, '/try-it')
    await page.getByRole('textbox', { name: textId('tryIt.phone') }).fill('12')
    await page.getByRole('button', { name: textId('tryIt.send'), exact: true }).click()
    const field = page.getByRole('textbox', { name: textId('tryIt.phone') })
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true')
    expect(await page.locator('main').innerText()).not.toMatch(/\bmust\b|\bdigits\b/)
  })

  test('the first number that an owner types begins with 0, and works', async () => {
    const app = await startWindowApp('id')
    const page = await openWindow(app, '/try-it')
    await page.getByRole('textbox', { name: textId('tryIt.phone') }).fill('0812-9011-4473')
    await page.getByRole('button', { name: textId('tryIt.send'), exact: true }).click()
    await expect
      .poll(async () => (await app.owner<MessageRow[]>('/messages')).body.data.map(({ recipient }) => recipient))
      .toEqual(['6281290114473'])
  })
})
