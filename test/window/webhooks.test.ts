import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import type { WebhookView } from '../../server/contract/webhooks.ts'
import { formatsOf } from '../../server/words/format.ts'
import { SANDBOX, type TestApp } from '../support/app.ts'
import { describeWindow, openWindow, startWindowApp } from '../support/browser.ts'
import { closeAfter } from '../support/cleanup.ts'
import { eventually } from '../support/eventually.ts'
import { startHttpServer } from '../support/http-server.ts'
import { type Receiver, startReceiver, verify } from '../support/receiver.ts'
import { beginning, text, textId } from '../support/texts.ts'

describeWindow('Webhooks', () => {
  let app: TestApp
  let receiver: Receiver

  beforeEach(async () => {
    app = await startWindowApp()
    receiver = await startReceiver()
  })

  const addReceiver = (events: string[] = ['message.sent']) =>
    app.owner<{ id: string; secret: string }>('/api/webhooks', { body: { url: receiver.url, events } })

  async function send(): Promise<void> {
    const body = { sender_code: SANDBOX, phone: '6281234567890', message: 'halo', reference_id: 'INV-7' }
    await app.owner('/send', { body })
  }

  async function end(id: number, state: 'delivered' | 'dead', status: number): Promise<void> {
    const last = { at: Date.now(), status, error: null, errorCode: null, body: 'no database', tookMs: 3 }
    const { deliveries } = app.app.store
    const row = (await deliveries.get(id)) ?? expect.unreachable()
    await deliveries.record(row, last, { state })
  }

  /** As after three days of attempts: the last one has failed. */
  async function giveUp(id: number): Promise<void> {
    await end(id, 'dead', 500)
    app.app.bus.emit('webhook', { id: 1 })
  }

  const secretOn = async (page: Page) => (await page.getByText(/^whsec_/).textContent()) ?? ''

  test('says what to do first while there is no endpoint', async () => {
    const page = await openWindow(app, '/webhooks')
    await page.getByText(text('webhooks.empty')).waitFor()
    await page.getByRole('button', { name: text('webhooks.add') }).click()
    await page.getByRole('textbox', { name: text('webhooks.form.url') }).waitFor()
  })

  test('adds an endpoint; its secret is shown once and signs what arrives', async () => {
    const page = await openWindow(app, '/webhooks?open=new')
    await page.getByRole('textbox', { name: text('webhooks.form.url') }).fill(receiver.url)
    await page.getByLabel(text('webhooks.event.message.read')).uncheck()
    await page.getByRole('button', { name: text('actions.add'), exact: true }).click()
    const secret = await secretOn(page)
    await page.getByRole('button', { name: text('leave.stored') }).click()
    await page.getByRole('button', { name: text('webhooks.test') }).click()
    await page.getByText(text('webhooks.testResult.good', { status: 200 })).waitFor()
    receiver.answer({ status: 401 })
    await page.getByRole('button', { name: text('webhooks.test') }).click()
    await page.getByText(text('webhooks.testResult.unsigned')).waitFor()

    const [call] = await receiver.calls(1)
    if (call === undefined) throw new Error('nothing arrived')
    verify(call, secret)
    expect(call.event.type).toBe('webhook.test')
    expect(await page.getByText(secret).count(), 'the secret is still to be seen').toBe(0)
    const { body } = await app.owner<{ events: string[] }[]>('/api/webhooks')
    expect(body.data[0]?.events).not.toContain('message.read')
    expect(body.data[0]?.events).toContain('message.sent')
  })

  test('the form of callbacks is a choice where programs of another gateway are let in', async () => {
    await app.owner('/api/settings', { method: 'PATCH', body: { compat_fonnte: true } })
    const page = await openWindow(app, '/webhooks?open=new')
    await page.getByRole('textbox', { name: text('webhooks.form.url') }).fill(receiver.url)
    await page.getByRole('combobox', { name: text('webhooks.form.format') }).click()
    await page.getByRole('option', { name: 'Fonnte' }).click()
    const revoked = page.getByLabel(text('webhooks.event.message.revoked'))
    await revoked.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: text('actions.add'), exact: true }).click()
    await secretOn(page)
    const { body } = await app.owner<{ format: string; events: string[] }[]>('/api/webhooks')
    expect(body.data[0]?.format).toBe('fonnte')
    expect(body.data[0]?.events).not.toContain('message.revoked')

    // One that was chosen stays a choice; without it and without a gateway there is none.
    await app.owner('/api/settings', { method: 'PATCH', body: { compat_fonnte: false } })
    await addReceiver()
    const later = await openWindow(app, '/webhooks?open=1')
    await later.getByRole('combobox', { name: text('webhooks.form.format') }).waitFor()
    const own = await openWindow(app, '/webhooks?open=2')
    await own.getByRole('textbox', { name: text('webhooks.form.url') }).waitFor()
    expect(await own.getByRole('combobox', { name: text('webhooks.form.format') }).count()).toBe(0)
  })

  test('a choice of senders is there again after a look at all of them', async () => {
    const page = await openWindow(app, '/webhooks?open=new')
    const some = page.getByText(text('webhooks.form.some'), { exact: true })
    const chosen = page.getByRole('dialog').getByText('Sandbox', { exact: true })
    await some.click()
    const choice = page.getByRole('combobox', { name: text('webhooks.form.some') })
    await choice.click({ force: true })
    await page.getByRole('option', { name: 'Sandbox' }).click()
    // The open list may lie over what is pressed next.
    await choice.press('Tab')
    await page.getByText(text('webhooks.form.all'), { exact: true }).click()
    await some.click()
    await chosen.first().waitFor()
  })

  test('says beside the address what is wrong with it', async () => {
    const page = await openWindow(app, '/webhooks?open=new')
    await page.getByRole('textbox', { name: text('webhooks.form.url') }).fill(`${app.url}/send`)
    await page.getByRole('button', { name: text('actions.add'), exact: true }).click()
    await page.locator('.mantine-InputWrapper-error', { hasText: 'is Kurir itself' }).waitFor()
  })

  test('a failing callback is found, and sent again when the endpoint works', async () => {
    await addReceiver()
    receiver.always({ status: 500, body: 'no database' })
    await send()
    await receiver.calls(1)
    const page = await openWindow(app, '/')
    await giveUp(1)

    await page.getByText(/^1 callback to .* could not be delivered\.$/).waitFor()
    await page.getByRole('link', { name: 'See them' }).click()
    await page.getByText(text('webhooks.health.failing')).waitFor()
    await page
      .getByRole('link', { name: `${text('messages.delivery.dead')}, ${text('webhooks.event.message.sent')}` })
      .click()
    await page.getByText('"reference_id": "INV-7"').waitFor()
    await page.getByText('no database').first().waitFor()

    receiver.always({ status: 200 })
    await page.getByRole('button', { name: text('actions.close') }).click()
    await page.getByRole('button', { name: text('webhooks.replayDead', { count: 1 }) }).click()
    await page.getByText(text('webhooks.health.well')).waitFor()
    expect((await receiver.calls(2))[1]?.event.data.reference_id).toBe('INV-7')
    await page.getByText(text('webhooks.deliveries.nothing')).waitFor()
  })

  test('a callback below the newest hundred is not said to wait any more once it is delivered', async () => {
    await addReceiver()
    receiver.answer({ status: 410 })
    await send()
    // It waits without being tried: its endpoint was switched off.
    await eventually(async () => !(await app.owner<WebhookView>('/api/webhooks/1')).body.data.enabled)
    await addReceiver()
    for (let made = 0; made < 100; made += 1) await app.owner('/api/webhooks/2/test', { method: 'POST' })
    const page = await openWindow(app, '/webhooks')
    const row = page.getByRole('link', { name: beginning(text('messages.delivery.pending')) })
    await page.getByRole('table').nth(1).hover()
    await expect.poll(async () => [await page.mouse.wheel(0, 9999), await row.count()][1]).toBe(1)
    await end(1, 'delivered', 200)
    await row.waitFor({ state: 'detached' })
  })

  test('replays one delivery and shows its new answer', async () => {
    await addReceiver()
    receiver.answer({ status: 500, body: 'no database' })
    await send()
    await receiver.calls(1)
    const page = await openWindow(app, '/webhooks?delivery=1')
    await page.getByText(/· 500 ·/).waitFor()
    await page.getByRole('button', { name: text('messages.replay') }).click()
    // On a busy PC the second try has come by itself before the button was pressed.
    await page
      .getByText(/· 200 ·/)
      .first()
      .waitFor()
    await page.getByRole('dialog').getByText(text('messages.delivery.delivered')).waitFor()
  })

  test('an endpoint that answered 410 is switched off, says so, and goes on when it is switched on', async () => {
    await addReceiver()
    receiver.answer({ status: 410 })
    await send()
    const page = await openWindow(app, '/webhooks?open=1')
    await page.getByText(text('webhooks.gone')).waitFor()
    await page.getByText(text('webhooks.goneWaiting', { count: 1 })).waitFor()
    // Nothing is tried while it is off.
    await expect.poll(() => page.getByRole('cell', { name: /^410/ }).innerText()).toBe('410')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: text('webhooks.switchOn') })
      .click()
    await receiver.calls(2)
    await page.getByRole('dialog').getByText(text('webhooks.health.well')).waitFor()
  })

  test('a new failure is said, also after a test that was good', async () => {
    await addReceiver()
    const page = await openWindow(app, '/webhooks?open=1')
    const drawer = page.getByRole('dialog')
    await drawer.getByRole('button', { name: text('webhooks.test') }).click()
    await drawer.getByText(text('webhooks.testResult.good', { status: 200 })).waitFor()
    await drawer.getByText(text('webhooks.health.well')).waitFor()
    receiver.always({ status: 500 })
    await send()
    await drawer.getByText(text('webhooks.failingWaits', { host: new URL(receiver.url).host })).waitFor()
  })

  test('says of callbacks that were given up what can be done, not that a program fails which does not', async () => {
    await addReceiver()
    receiver.always({ status: 500 })
    await send()
    await eventually(async () => (await app.owner<WebhookView>('/api/webhooks/1')).body.data.last_error !== null)
    await giveUp(1)
    receiver.always({ status: 200 })
    await app.owner('/api/webhooks/1/test', { method: 'POST' })
    const page = await openWindow(app, '/webhooks?open=1')
    await page
      .getByRole('dialog')
      .getByText(text('webhooks.givenUp', { count: 1 }))
      .waitFor()

    // Both buttons have room in the list.
    for (const width of [1366, 1024]) {
      await page.setViewportSize({ width, height: 768 })
      await page.goto(`${app.url}/webhooks`)
      const row = page.getByRole('row').filter({ has: page.getByRole('button') })
      const discard = row.getByRole('button', { name: text('webhooks.discardDead') })
      await discard.waitFor()
      const [outer, inner] = [await row.boundingBox(), await discard.boundingBox()]
      const bottomOf = (box: typeof outer) => (box?.y ?? 0) + (box?.height ?? 0)
      expect(bottomOf(inner)).toBeLessThan(bottomOf(outer))
    }
    // Its column goes away with the last of them.
    await page.getByRole('button', { name: text('webhooks.discardDead') }).click()
    await page.getByText(text('webhooks.discarded', { count: 1 })).waitFor()
  })

  test('a filter for an endpoint that is gone can be taken away', async () => {
    await addReceiver()
    await app.owner('/api/webhooks/1/test', { method: 'POST' })
    const page = await openWindow(app, '/webhooks?endpoint=9')
    await page.getByText(text('webhooks.deliveries.nothing')).waitFor()
    await page.getByRole('button', { name: text('actions.clear') }).click()
    await page.getByRole('link', { name: beginning(text('messages.delivery.delivered')) }).waitFor()
  })

  test('an act that is refused says why', async () => {
    await addReceiver()
    await app.owner('/api/webhooks/1', { method: 'PATCH', body: { enabled: false } })
    const page = await openWindow(app, '/webhooks')
    const error = { code: 'storage_unavailable' }
    await page.route('**/api/webhooks/1', (route) =>
      route.fulfill({ status: 503, json: { success: false, message: 'The disk is full.', error } }),
    )
    await page.getByRole('button', { name: text('webhooks.switchOn') }).click()
    await page.getByRole('alert').getByText('The disk is full.').waitFor()
  })

  test('a refusal is over when the next act is not refused', async () => {
    await addReceiver()
    const page = await openWindow(app, '/webhooks?open=1')
    const drawer = page.getByRole('dialog')
    const error = { code: 'storage_unavailable' }
    await page.route('**/test', (route) =>
      route.fulfill({ status: 503, json: { success: false, message: 'The disk is full.', error } }),
    )
    await drawer.getByRole('button', { name: text('webhooks.test') }).click()
    await drawer.getByText('The disk is full.').waitFor()
    await drawer.getByRole('button', { name: text('webhooks.switchOff') }).click()
    await drawer.getByText(text('webhooks.health.off'), { exact: true }).waitFor()
    expect(await drawer.getByText('The disk is full.').count()).toBe(0)
  })

  test('a program that answered is not said to be silent, only because its answer is wrong', async () => {
    const theirs = await startHttpServer((_request, response) => response.end('ok'))
    closeAfter('test', theirs.close)
    const body = { url: theirs.url, format: 'cloud_api' }
    expect((await app.owner('/api/webhooks', { body })).status).toBe(200)
    const page = await openWindow(app, '/webhooks?open=1')
    await page.getByRole('button', { name: text('webhooks.test') }).click()
    const why = text('webhooks.error.challenge_failed')
    await page.getByText(text('webhooks.testResult.failed', { why })).waitFor()
    await page.getByRole('button', { name: text('webhooks.secret.verify') }).click()
    await page.getByText(text('webhooks.secret.verifyHint.cloud_api')).waitFor()
    await page.getByText('x-hub-signature-256').first().waitFor()
  })

  test('a new secret is shown once; for a day both sign', async () => {
    const { secret: old } = (await addReceiver()).body.data
    const page = await openWindow(app, '/webhooks?open=1')
    await page.getByRole('button', { name: text('webhooks.secret.rotate') }).click()
    const fresh = await secretOn(page)
    // Another one, or its refusal, would take its place before it is stored.
    expect(await page.getByRole('button', { name: text('webhooks.secret.rotate') }).count()).toBe(0)
    await page.getByRole('button', { name: text('webhooks.test') }).click()
    const [call] = await receiver.calls(1)
    if (call === undefined) throw new Error('nothing arrived')
    verify(call, old)
    verify(call, fresh)
    expect(fresh).not.toBe(old)
    await page.getByRole('button', { name: text('leave.stored') }).click()
    await page.getByRole('button', { name: text('webhooks.secret.rotate') }).waitFor()
  })

  test.each([
    ['en', 1366],
    ['id', 390],
  ] as const)(
    'a fourth new secret within a day says from when on it is possible (%s, %i px)',
    async (language, width) => {
      const words = language === 'en' ? text : textId
      await addReceiver()
      await app.owner('/api/settings', { method: 'PATCH', body: { language } })
      const rotate = () => app.owner('/api/webhooks/1/rotate-secret', { method: 'POST' })
      for (let made = 0; made < 3; made += 1) expect((await rotate()).status).toBe(200)
      const from = /from (\S+Z)\.$/.exec((await rotate()).body.message)?.[1] ?? ''
      const page = await openWindow(app, '/webhooks?open=1', { width })
      await page.getByRole('button', { name: words('webhooks.secret.rotate') }).click()
      const alert = page.getByRole('alert')
      await alert.getByText(words('webhooks.secret.enough')).waitFor()
      // Tomorrow: the day and the minute, not only that it is refused. The window reckons from when
      // the button was pressed.
      const near = [-1, 0, 1].map((minutes) => new Date(Date.parse(from) + minutes * 60_000).toISOString())
      const whens = near.map((at) => formatsOf(language).until(at, Date.now()))
      const said = await alert.innerText()
      expect(whens.filter((when) => said.includes(words('webhooks.secret.enoughHint', { when })))).toHaveLength(1)
      expect(whens[1]).toMatch(/^\S+ \d+ \S+ \d\d[:.]\d\d$/)
    },
  )

  test('an endpoint that fails says that a good test delivers what waits, and when the next try is', async () => {
    await addReceiver()
    receiver.always({ status: 500 })
    await send()
    const page = await openWindow(app, '/webhooks?open=1')
    await page
      .getByRole('dialog')
      .getByText(text('webhooks.failingWaits', { host: new URL(receiver.url).host }))
      .waitFor()
    // It may be tried again meanwhile.
    const saysWhen = async () => {
      const [delivery] = (await app.owner<{ next_at: string }[]>('/api/deliveries')).body.data
      const when = formatsOf('en').until(delivery?.next_at ?? '', Date.now())
      return page.getByText(text('webhooks.deliveries.nextTry', { when })).count()
    }
    await expect.poll(saysWhen).toBe(1)
    expect(await page.getByRole('columnheader', { name: text('words.action') }).count(), 'a column of no button').toBe(
      0,
    )
  })

  test('an address that opens nothing leaves the list its columns', async () => {
    await addReceiver()
    const page = await openWindow(app, '/webhooks?open=9')
    await page.getByRole('columnheader', { name: text('webhooks.dead') }).waitFor()
  })

  test('names what is lost and deletes only after the word was typed', async () => {
    await addReceiver()
    const page = await openWindow(app, '/webhooks?open=1')
    await page.getByRole('button', { name: text('webhooks.delete.button') }).click()
    const question = page.getByRole('dialog', { name: text('webhooks.delete.title') })
    await question.getByText(text('webhooks.delete.deliveries')).waitFor()
    const confirm = question.getByRole('button', { name: text('webhooks.delete.button') })
    expect(await confirm.isDisabled()).toBe(true)
    await question.getByRole('textbox').fill(text('webhooks.delete.word'))
    await addReceiver()
    await confirm.click()
    // Without its drawer the list has all of its columns again.
    await page.getByRole('columnheader', { name: text('webhooks.dead') }).waitFor()
    expect((await app.owner<WebhookView[]>('/api/webhooks')).body.data.map(({ id }) => id)).toEqual(['2'])
  })
})
