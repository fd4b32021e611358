import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { CUSTOMER, startShop } from '../support/shop.ts'

/** Marked, so that no file can hold it by chance. */
const WRITTEN = 'balasan-rahasia-4711'

/** Every place of the program's disk that holds a text, and the log. */
const placesOf = async (app: TestApp, text: string): Promise<string[]> => [
  ...(await app.disk.places((bytes) => bytes.includes(text))),
  ...(app.logs().includes(text) ? ['the log'] : []),
]

const subscribe = async (app: TestApp, receiver: Receiver, fields: object = {}): Promise<string> => {
  const answer = await app.owner<{ id: string }>('/api/webhooks', { body: { url: receiver.url, ...fields } })
  expect(answer.status, answer.text).toBe(200)
  return answer.body.data.id
}
const ASKS = { events: ['message.received', 'contact.opted_out', 'contact.opted_in'] }

/** A shop that wrote to a customer, so that the customer can answer. */
async function chat() {
  const shop = await startShop()
  await shop.link()
  const id = await shop.send({ message: 'Pesanan siap' })
  const { providerMessageId } = await shop.app.reached(id, 'delivered', 'read')
  return { ...shop, id, providerMessageId, customer: shop.peer.recipient(CUSTOMER) }
}

describe('a reply', () => {
  test('goes once to each endpoint that asked for it, and to no other', async () => {
    const [asks, asksToo, plain] = [await startReceiver(), await startReceiver(), await startReceiver()]
    const { app, customer, sender, id, providerMessageId } = await chat()
    await subscribe(app, asks, ASKS)
    await subscribe(app, asksToo, ASKS)
    await subscribe(app, plain)
    await customer.send({
      extendedTextMessage: { text: WRITTEN, contextInfo: { stanzaId: providerMessageId ?? '', participant: 'x' } },
    })
    for (const receiver of [asks, asksToo]) {
      const { event } = await receiver.event('message.received')
      expect(event.data).toMatchObject({
        sender_code: sender,
        from: CUSTOMER,
        type: 'text',
        text: WRITTEN,
        reply_to: id,
        from_user_id: null,
      })
    }
    await customer.send('the next one\0')
    const both = await asks.until((all) => all.filter(({ event }) => event.type === 'message.received').length === 2)
    expect(
      both.filter(({ event }) => event.data.text === 'the next one'),
      'without NUL',
    ).toHaveLength(1)
    expect(asks.received.filter(({ text }) => text.includes(WRITTEN))).toHaveLength(1)
    expect(plain.received.some(({ event }) => event.type === 'message.received')).toBe(false)
  })

  test('that is longer than it may be is cut between two letters', async () => {
    const asks = await startReceiver()
    const { app, customer } = await chat()
    await subscribe(app, asks, ASKS)
    await customer.send(`a${'\u{1f600}'.repeat(40_000)}`)
    const { event } = await asks.event('message.received')
    const { text } = event.data as { text: string }
    expect([text.length, text.isWellFormed()]).toEqual([65_535, true])
  })

  test('is kept nowhere: not while it waits, and not afterwards', async () => {
    const { app, customer, key } = await chat()
    const receiver = await startReceiver()
    // Receivers often repeat what they were given.
    receiver.answer({ status: 500, body: WRITTEN })
    const webhook = await subscribe(app, receiver, ASKS)
    await customer.send(WRITTEN)
    await receiver.calls(1)
    const waiting = () => app.app.store.deliveries.list({ endpointId: Number(webhook), limit: 10 })
    await eventually(async () => (await waiting())[0]?.tries === 1)
    expect(await placesOf(app, WRITTEN)).toEqual([])
    const delivery = (await waiting())[0]?.id
    const shown = [`/api/deliveries/${delivery}`, '/api/deliveries', `/api/messages?q=${WRITTEN}`, '/api/diagnostics']
    for (const path of shown) expect((await app.owner(path)).text, path).not.toContain(WRITTEN)
    const copies = temporaryFolder()
    await app.app.store.copyTo(copies)
    const copy = new Database(join(copies, 'kurir.db'), { readonly: true })
    expect(copy.prepare('SELECT count(*) FROM replies').pluck().get()).toBe(0)
    copy.close()
    const backup = await app.owner('/api/backup', { body: { passphrase: 'a passphrase of the tests' } })
    expect(backup.text.includes(WRITTEN)).toBe(false)
    await app.owner(`/api/deliveries/${delivery}/replay`, { method: 'POST' })
    await eventually(async () => (await waiting())[0]?.state === 'delivered')
    expect(receiver.received.map(({ event }) => event.data.text)).toEqual([WRITTEN, WRITTEN])
    expect(await app.app.store.events.get((await waiting())[0]?.eventSeq ?? 0)).toMatchObject({ reply: null })
    const again = await app.owner(`/api/deliveries/${delivery}/replay`, { method: 'POST' })
    expect([again.status, again.body.error.code]).toEqual([409, 'conflict'])
    expect(await placesOf(app, WRITTEN)).toEqual([])
    expect((await app.call(key, `/messages?q=${WRITTEN}`)).body.data).toEqual([])
  })

  test('without an endpoint that asks nothing is stored at all', async () => {
    const { app, customer } = await chat()
    const plain = await startReceiver()
    await subscribe(app, plain)
    const before = await app.app.store.events.newest()
    await customer.send(WRITTEN)
    // The next thing that the customer does is a keyword, whose event comes after it.
    await customer.send('STOP')
    await plain.event('contact.opted_out')
    expect(await app.app.store.events.newest()).toBe(before + 1)
    expect(await placesOf(app, WRITTEN)).toEqual([])
  })
})

describe('a keyword', () => {
  test('STOP ends advertising that waits and that comes, never an OTP; START undoes it', async () => {
    const { app, customer, send, key, sender } = await chat()
    const receiver = await startReceiver()
    await subscribe(app, receiver, ASKS)
    const promotion = await send({ message: 'Diskon 20%', purpose: 'marketing', delay: 600 })
    const otp = await send({ message: 'OTP 4711', delay: 600 })
    await customer.send(' stop ')
    const { event } = await receiver.event('contact.opted_out')
    expect(event.data).toMatchObject({ sender_code: sender, phone: CUSTOMER, scope: 'marketing', source: 'keyword' })
    expect(await app.reached(promotion, 'cancelled')).toMatchObject({ error: { code: 'recipient_opted_out' } })
    expect((await app.message(otp)).status).toBe('queued')
    const refused = await app.call(key, '/send', { phone: CUSTOMER, message: 'Diskon', purpose: 'marketing' })
    expect(refused.body.error.code).toBe('recipient_opted_out')
    await app.reached(await send({ message: 'OTP 4712' }), 'sent', 'delivered', 'read')
    await customer.send('MULAI')
    await receiver.event('contact.opted_in')
    await send({ message: 'Diskon 30%', purpose: 'marketing' })
  })

  test('what the owner wants of it counts, and the owner’s own entry stays', async () => {
    const { app, customer, sender } = await chat()
    const receiver = await startReceiver()
    await subscribe(app, receiver, ASKS)
    await app.owner('/api/settings', {
      method: 'PATCH',
      body: { opt_out_keywords: ['CUKUP'], opt_in_keywords: ['LANJUT'] },
    })
    await customer.send('STOP')
    await customer.send('cukup')
    const { event } = await receiver.event('contact.opted_out')
    expect(event.data.source).toBe('keyword')
    await app.owner('/suppressions', { body: { phone: CUSTOMER, scope: 'all', sender_code: sender } })
    await customer.send('LANJUT')
    await customer.send('any last word')
    await receiver.until((all) => all.some(({ event: { data } }) => data.text === 'any last word'))
    const { data } = (await app.owner<{ scope: string; source: string }[]>('/suppressions')).body
    expect(data).toMatchObject([{ scope: 'all', source: 'owner' }])
  })
})
