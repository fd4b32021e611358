import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { SANDBOX, type TestApp } from '../support/app.ts'
import { describeWindow, openWindow, startWindowApp } from '../support/browser.ts'
import { type Receiver, startReceiver, verify } from '../support/receiver.ts'

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

  /** As after three days of tries: the last one has failed. */
  async function giveUp(id: number): Promise<void> {
    const last = { at: Date.now(), status: 500, error: null, body: 'no database', tookMs: 3 }
    await app.app.store.deliveries.record(id, last, { state: 'dead' })
    app.app.bus.emit('webhook', { id: 1 })
  }

  const secretOn = async (page: Page) => (await page.getByText(/^whsec_/).textContent()) ?? ''

  test('says what to do first while there is no receiver', async () => {
    const page = await openWindow(app, '/webhooks')
    await page.getByText('No webhook yet').waitFor()
    await page.getByRole('button', { name: 'Add a webhook' }).click()
    await page.getByRole('textbox', { name: 'Address' }).waitFor()
  })

  test('adds a receiver; its secret is shown once and signs what arrives', async () => {
    const page = await openWindow(app, '/webhooks?open=new')
    await page.getByRole('textbox', { name: 'Address' }).fill(receiver.url)
    await page.getByLabel('Message read').uncheck()
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    const secret = await secretOn(page)
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByRole('button', { name: 'Test call' }).click()
    await page.getByText('It works: the receiver answered 200.').waitFor()

    const [call] = await receiver.calls(1)
    if (call === undefined) throw new Error('nothing arrived')
    verify(call, secret)
    expect(call.event.type).toBe('webhook.test')
    expect(await page.getByText(secret).count(), 'the secret is still to be seen').toBe(0)
    const { body } = await app.owner<{ events: string[] }[]>('/api/webhooks')
    expect(body.data[0]?.events).not.toContain('message.read')
    expect(body.data[0]?.events).toContain('message.sent')
  })

  test('says beside the address what is wrong with it', async () => {
    const page = await openWindow(app, '/webhooks?open=new')
    await page.getByRole('textbox', { name: 'Address' }).fill(`${app.url}/send`)
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.locator('.mantine-InputWrapper-error', { hasText: 'is Kurir itself' }).waitFor()
  })

  test('a failing callback is found, mended and replayed', async () => {
    await addReceiver()
    receiver.always({ status: 500, body: 'no database' })
    await send()
    await receiver.calls(1)
    const page = await openWindow(app, '/')
    await giveUp(1)

    await page.getByText('1 callback could not be delivered.').waitFor()
    await page.getByRole('link', { name: 'See them' }).click()
    await page.getByText('Failing').waitFor()
    await page.getByRole('link', { name: 'Given up, Message sent' }).click()
    await page.getByText('"reference_id": "INV-7"').waitFor()
    await page.getByText('no database').first().waitFor()

    receiver.always({ status: 200 })
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Replay 1' }).click()
    await page.getByText('Working').waitFor()
    expect((await receiver.calls(2))[1]?.event.data.reference_id).toBe('INV-7')
    await page.getByText('No delivery like this').waitFor()
  })

  test('replays one delivery and shows its new answer', async () => {
    await addReceiver()
    receiver.answer({ status: 500, body: 'no database' })
    await send()
    await receiver.calls(1)
    const page = await openWindow(app, '/webhooks?delivery=1')
    await page.getByText(/· 500 ·/).waitFor()
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByText(/· 200 ·/).waitFor()
    await page.getByRole('dialog').getByText('Delivered').waitFor()
  })

  test('a receiver that answered 410 is switched off, says so, and goes on when it is switched on', async () => {
    await addReceiver()
    receiver.answer({ status: 410 })
    await send()
    const page = await openWindow(app, '/webhooks?open=1')
    await page.getByText('answered “410 Gone”').waitFor()
    await page.getByText('1 callback waits').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Switch on' }).click()
    await receiver.calls(2)
    await page.getByRole('dialog').getByText('Working').waitFor()
  })

  test('a new secret is shown once; for a day both sign', async () => {
    const { secret: old } = (await addReceiver()).body.data
    const page = await openWindow(app, '/webhooks?open=1')
    await page.getByRole('button', { name: 'Make a new secret' }).click()
    const fresh = await secretOn(page)
    await page.getByRole('button', { name: 'Test call' }).click()
    const [call] = await receiver.calls(1)
    if (call === undefined) throw new Error('nothing arrived')
    verify(call, old)
    verify(call, fresh)
    expect(fresh).not.toBe(old)
  })

  test('names what is lost and deletes only after the word was typed', async () => {
    await addReceiver()
    const page = await openWindow(app, '/webhooks?open=1')
    await page.getByRole('button', { name: 'Delete this webhook' }).click()
    const question = page.getByRole('dialog', { name: 'Delete this webhook?' })
    await question.getByText('Its deliveries with their answers are deleted.').waitFor()
    const confirm = question.getByRole('button', { name: 'Delete this webhook' })
    expect(await confirm.isDisabled()).toBe(true)
    await question.getByRole('textbox').fill('delete')
    await confirm.click()
    await page.getByText('No webhook yet').waitFor()
    expect((await app.owner<unknown[]>('/api/webhooks')).body.data).toEqual([])
  })
})
