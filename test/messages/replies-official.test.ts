import { expect, test } from 'vitest'
import type { StartOptions, TestApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'
import { type Callbacks, statusError } from '../support/graph-peer/callbacks.ts'
import { textTemplate } from '../support/graph-peer/templates.ts'
import { NUMBER_ID, sendTemplate, startOfficial } from '../support/official.ts'
import { type Received, startReceiver } from '../support/receiver.ts'

const CUSTOMER = '6281234567890'
const ASKS = ['message.received', 'contact.opted_out', 'contact.opted_in', 'message.cancelled']

async function shop(options: StartOptions = {}) {
  const receiver = await startReceiver()
  const official = await startOfficial({
    ...options,
    prepare: ({ state }) => state.templates.push(textTemplate('promo', 'id', 'Diskon 20%', { category: 'MARKETING' })),
  })
  const { app, meta } = official
  await app.owner('/api/webhooks', { body: { url: receiver.url, events: ASKS } })
  /** As Meta reports what a customer writes. */
  const write = (id: string, body: string, more: object = {}) =>
    meta.change('messages', {
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: '6281100001111', phone_number_id: NUMBER_ID },
      contacts: [{ profile: { name: 'Budi' }, wa_id: CUSTOMER }],
      messages: [{ from: CUSTOMER, id, timestamp: '1795248000', type: 'text', text: { body }, ...more }],
    })
  return { ...official, receiver, write }
}

const entries = async (app: TestApp) =>
  (await app.owner<{ phone: string; source: string; sender_code: string }[]>('/suppressions')).body.data

test('a reply to a template is passed on once, however often Meta repeats it', async () => {
  const { app, code, receiver, write } = await shop()
  const sent = await sendTemplate(app)
  const { id, messageId } = sent.body.data
  const quoting = { context: { from: '6281100001111', id: messageId } }
  for (let n = 0; n < 2; n += 1) expect((await write('wamid.reply', 'balasan-4711', quoting)).status).toBe(200)
  await write('wamid.next', 'the next one')
  const image = { id: '7', mime_type: 'image/jpeg', caption: 'my receipt' }
  await write('wamid.image', '', { type: 'image', text: undefined, image })
  await receiver.until((all) => all.length === 3)
  expect(receiver.received.map(({ event }) => event.data)).toMatchObject([
    { sender_code: code, from: CUSTOMER, type: 'text', text: 'balasan-4711', reply_to: id },
    { text: 'the next one', reply_to: null },
    { type: 'image', text: 'my receipt' },
  ])
  expect(app.logs()).not.toContain('balasan-4711')
})

/** As Meta reports what a customer switched in its own settings. */
const wish = (meta: Callbacks, value: 'stop' | 'resume', timestamp: string, detail = 'x') =>
  meta.change('user_preferences', {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '6281100001111', phone_number_id: NUMBER_ID },
    contacts: [{ profile: { name: 'Budi' }, wa_id: CUSTOMER }],
    user_preferences: [{ wa_id: CUSTOMER, detail, category: 'marketing_messages', value, timestamp }],
  })

test('what a customer wished earlier, and Meta reports late, does not undo what it said since', async () => {
  const { app, meta, receiver, write } = await shop()
  await wish(meta, 'stop', '1795248060')
  await receiver.event('contact.opted_out')
  await wish(meta, 'resume', '1795248000')
  // Applied in the order in which they came: the wish before this is done with.
  await write('wamid.next', 'thanks')
  await receiver.until((all) => all.some(({ event: { data } }) => data.text === 'thanks'))
  expect(await entries(app)).toMatchObject([{ phone: CUSTOMER, source: 'provider' }])
  await wish(meta, 'resume', '1795248120')
  await receiver.event('contact.opted_in')
  expect(await entries(app)).toEqual([])
  // The same wish in other words: no repetition of a body that is known.
  await wish(meta, 'stop', '1795248060', 'said again')
  await wish(meta, 'stop', '1795248180')
  const optOuts = (all: Received[]) => all.filter(({ event }) => event.type === 'contact.opted_out')
  const all = await receiver.until((each) => optOuts(each).length > 1)
  expect(optOuts(all)[1]?.event.data.occurred_at).toBe('2026-11-21T08:03:00.000Z')
})

test('STOP refuses marketing templates at accept and ends those that wait, never others; START undoes it', async () => {
  const { app, code, receiver, write } = await shop()
  await app.owner(`/api/senders/${code}/pause`, { method: 'POST' })
  const queued = await sendTemplate(app, { template_name: 'promo' }, { prefer: 'respond-async' })
  expect(queued.status, queued.text).toBe(202)
  const code4711 = await sendTemplate(app, {}, { prefer: 'respond-async' })
  await write('wamid.stop', 'Stop')
  const { event } = await receiver.event('contact.opted_out')
  expect(event.data).toMatchObject({ sender_code: code, phone: CUSTOMER, scope: 'marketing', source: 'keyword' })
  const cancelled = await receiver.event('message.cancelled', queued.body.data.id)
  expect(cancelled.event.data.error).toMatchObject({ code: 'recipient_opted_out' })
  await app.owner(`/api/senders/${code}/resume`, { method: 'POST' })
  await app.reached(code4711.body.data.id, 'accepted')
  const refused = await sendTemplate(app, { template_name: 'promo' })
  expect([refused.status, refused.body.error.code]).toEqual([409, 'recipient_opted_out'])
  expect((await sendTemplate(app)).status).toBe(200)
  expect((await sendTemplate(app, { purpose: 'marketing' })).status).toBe(409)
  await write('wamid.start', 'MULAI')
  await receiver.event('contact.opted_in')
  // An old STOP that Meta repeats changes nothing any more.
  await write('wamid.stop', 'Stop')
  await write('wamid.last', 'thanks')
  await receiver.until((all) => all.some(({ event: { data } }) => data.text === 'thanks'))
  expect(await entries(app)).toEqual([])
  expect((await sendTemplate(app, { template_name: 'promo' })).status).toBe(200)
})

test('Meta’s own switch counts', async () => {
  const { app, code, meta, receiver } = await shop()
  await wish(meta, 'stop', '1795248000')
  await receiver.event('contact.opted_out')
  expect(await entries(app)).toMatchObject([{ phone: CUSTOMER, source: 'provider', sender_code: code }])
  await wish(meta, 'resume', '1795248000')
  await receiver.event('contact.opted_in')
  expect(await entries(app)).toEqual([])
})

test('so does its refusal of a customer who stopped marketing (131050)', async () => {
  const { app, code, meta, receiver } = await shop()
  const sent = await sendTemplate(app, { template_name: 'promo' })
  const errors = [statusError(131050, 'User has stopped', 'The user does not want marketing messages')]
  await meta.status({ wamid: sent.body.data.messageId, status: 'failed', recipient: CUSTOMER, errors })
  await receiver.event('contact.opted_out')
  expect(await entries(app)).toMatchObject([{ phone: CUSTOMER, source: 'provider', sender_code: code }])
  expect((await sendTemplate(app, { template_name: 'promo' })).body.error.code).toBe('recipient_opted_out')
})

test('a customer of whom Meta gives number and ID opts out by both, and in again', async () => {
  const { app, code, meta, receiver, write } = await shop()
  const person = 'ID.13491208655302741918'
  const names = [CUSTOMER, person]
  const heard = async (type: string, times: number) => {
    await receiver.until((all) => all.filter(({ event }) => event.type === type).length === names.length * times)
    return (await entries(app)).map(({ phone }) => phone).toSorted()
  }
  await write('wamid.stop', 'STOP', { from_user_id: person })
  expect(await heard('contact.opted_out', 1)).toEqual(names)
  expect((await sendTemplate(app, { template_name: 'promo', phone: person })).body.error.code).toBe(
    'recipient_opted_out',
  )
  await write('wamid.start', 'START', { from_user_id: person })
  expect(await heard('contact.opted_in', 1)).toEqual([])
  await meta.change('user_preferences', {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '6281100001111', phone_number_id: NUMBER_ID },
    user_preferences: [
      { wa_id: CUSTOMER, user_id: person, category: 'marketing_messages', value: 'stop', timestamp: '1795248060' },
    ],
  })
  expect(await heard('contact.opted_out', 2)).toEqual(names)
  for (const phone of names) await app.owner(`/suppressions?phone=${phone}&sender_code=${code}`, { method: 'DELETE' })
  const sent = await sendTemplate(app, { template_name: 'promo' })
  const errors = [statusError(131050, 'User has stopped', 'The user does not want marketing messages')]
  const { messageId } = sent.body.data
  await meta.status({ wamid: messageId, status: 'failed', recipient: CUSTOMER, userId: person, errors })
  expect(await heard('contact.opted_out', 3)).toEqual(names)
})

test('a customer of whom Meta gives only its ID opts out, and in again', async () => {
  const { app, meta, receiver, write } = await shop()
  const person = 'ID.13491208655302741918'
  const unknown = { from: undefined, from_user_id: person }
  const promo = () => sendTemplate(app, { template_name: 'promo', phone: person })
  expect((await promo()).status).toBe(200)
  await write('wamid.stop', 'STOP', unknown)
  expect((await receiver.event('contact.opted_out')).event.data).toMatchObject({ phone: person, source: 'keyword' })
  expect((await promo()).body.error.code).toBe('recipient_opted_out')
  await write('wamid.start', 'START', unknown)
  await receiver.event('contact.opted_in')
  expect((await promo()).status).toBe(200)
  const wish = (value: 'stop' | 'resume', timestamp: string) =>
    meta.change('user_preferences', {
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: '6281100001111', phone_number_id: NUMBER_ID },
      user_preferences: [{ user_id: person, category: 'marketing_messages', value, timestamp }],
    })
  await wish('stop', '1795248060')
  await receiver.until((all) => all.filter(({ event }) => event.type === 'contact.opted_out').length === 2)
  expect(await entries(app)).toMatchObject([{ phone: person, source: 'provider' }])
  const { text } = await app.owner('/api/suppressions/export.csv')
  const name = `/suppressions?phone=${person}&sender_code=${(await entries(app))[0]?.sender_code}`
  expect((await app.owner(name, { method: 'DELETE' })).status).toBe(200)
  expect(await entries(app)).toEqual([])
  const headers = { 'content-type': 'text/csv' }
  const taken = await app.owner<{ added: number }>('/api/suppressions/import', { body: text, headers })
  expect(taken.body.data.added).toBe(1)
  expect((await app.owner(`/suppressions?phone=${person}`)).body.data).toMatchObject([{ phone: person }])
  expect((await app.owner(`/messages?recipient=${person}`)).body.data).toHaveLength(2)
})

test('who opted out stays so under a new ID of Meta’s, and under a new number', async () => {
  const { app, receiver, write } = await shop()
  const [person, next, number] = ['ID.13491208655302741918', 'ID.2', '6281234567899']
  const notice = (system: object) => ({ ...{ type: 'system', text: undefined, from: undefined }, system })
  await write('wamid.stop', 'STOP', { from: undefined, from_user_id: person })
  const moved = { type: 'user_changed_user_id', previous_user_id: person, user_id: next }
  await write('wamid.moved', '', notice(moved))
  await receiver.until((all) => all.some(({ event: { data } }) => data.phone === next))
  await write('wamid.number', '', notice({ ...moved, type: 'user_changed_number', wa_id: number }))
  await receiver.until((all) => all.some(({ event: { data } }) => data.phone === number))
  expect(await entries(app)).toMatchObject([number, next, person].map((phone) => ({ phone, source: 'keyword' })))
  const promo = await sendTemplate(app, { template_name: 'promo', phone: number })
  expect(promo.body.error.code).toBe('recipient_opted_out')
})

test('STOP in answer to a message counts for its number, where Meta names its author by an ID alone', async () => {
  const { app, receiver, write } = await shop()
  const person = 'ID.13491208655302741918'
  const { messageId } = (await sendTemplate(app, { template_name: 'promo' })).body.data
  const answer = { from: undefined, from_user_id: person, context: { from: '6281100001111', id: messageId } }
  await write('wamid.stop', 'STOP', answer)
  await receiver.until((all) => all.filter(({ event }) => event.type === 'contact.opted_out').length === 2)
  expect((await entries(app)).map(({ phone }) => phone).toSorted()).toEqual([CUSTOMER, person])
  expect((await sendTemplate(app, { template_name: 'promo' })).body.error.code).toBe('recipient_opted_out')
  await write('wamid.start', 'START', answer)
  await receiver.until((all) => all.filter(({ event }) => event.type === 'contact.opted_in').length === 2)
  expect(await entries(app)).toEqual([])
})

test('STOP under an ID alone counts for its number as soon as a status names both', async () => {
  const { app, meta, receiver, write } = await shop()
  const person = 'ID.13491208655302741918'
  const { id, messageId } = (await sendTemplate(app, { template_name: 'promo' })).body.data
  await write('wamid.stop', 'STOP', { from: undefined, from_user_id: person })
  await receiver.event('contact.opted_out')
  const status = { id: messageId, status: 'delivered', timestamp: '1795248000', recipient_user_id: person }
  await meta.change('messages', { metadata: { phone_number_id: NUMBER_ID }, statuses: [status] })
  await app.reached(id, 'delivered')
  expect(await entries(app)).toMatchObject([CUSTOMER, person].map((phone) => ({ phone, source: 'keyword' })))
  expect((await sendTemplate(app, { template_name: 'promo' })).body.error.code).toBe('recipient_opted_out')
})

test('an ID alone stands for the number for which a status named it', async () => {
  const { app, meta, receiver, write } = await shop()
  const person = 'ID.13491208655302741918'
  const metadata = { display_phone_number: '6281100001111', phone_number_id: NUMBER_ID }
  const promo = () => sendTemplate(app, { template_name: 'promo' })
  // The number is not to be learned from the second, which is to the ID.
  const sent = [await promo(), await sendTemplate(app, { phone: person })].map(({ body }) => body.data)
  const status = { status: 'delivered', timestamp: '1795248000', recipient_user_id: person }
  const statuses = sent.map(({ messageId }) => ({ id: messageId, ...status }))
  await meta.change('messages', { messaging_product: 'whatsapp', metadata, statuses })
  for (const { id } of sent) await app.reached(id, 'delivered')
  const wish = (value: 'stop' | 'resume', timestamp: string) =>
    meta.change('user_preferences', {
      ...{ messaging_product: 'whatsapp', metadata },
      user_preferences: [{ user_id: person, category: 'marketing_messages', value, timestamp }],
    })
  const told = (type: string, times: number) =>
    receiver.until((all) => all.filter(({ event }) => event.type === type).length === times)
  const unknown = { from: undefined, from_user_id: person }
  await write('wamid.stop', 'STOP', unknown)
  await told('contact.opted_out', 2)
  expect((await entries(app)).map(({ phone }) => phone).toSorted()).toEqual([CUSTOMER, person])
  expect((await promo()).body.error.code).toBe('recipient_opted_out')
  await write('wamid.start', 'START', unknown)
  await told('contact.opted_in', 2)
  expect((await promo()).status).toBe(200)
  await wish('stop', '1795248060')
  await told('contact.opted_out', 4)
  expect((await promo()).body.error.code).toBe('recipient_opted_out')
  await wish('resume', '1795248120')
  await told('contact.opted_in', 4)
  expect(await entries(app)).toEqual([])
})

test('a reply that waits survives a restart; after a day it is gone with its delivery', async () => {
  // It is not tried again by itself meanwhile.
  const { app, receiver, write } = await shop({ clock: createTestClock(Date.now()) })
  receiver.always({ status: 500 })
  await write('wamid.1', 'balasan-4711')
  await receiver.calls(1)
  const delivery = async () => (await app.app.store.deliveries.list({ limit: 1 }))[0]
  await eventually(async () => (await delivery())?.tries === 1)
  await app.restart()
  const waiting = await delivery()
  await app.owner(`/api/deliveries/${waiting?.id}/replay`, { method: 'POST' })
  await receiver.calls(2)
  expect(receiver.received.map(({ event }) => event.data.text)).toEqual(['balasan-4711', 'balasan-4711'])
  await eventually(async () => (await delivery())?.tries === 1)
  const now = Date.now()
  expect(await app.app.store.retention.expire({ now, ended: now + 25 * 3_600_000 }, 10)).toBe(1)
  expect(await delivery()).toBeUndefined()
  expect(await app.app.store.events.get(waiting?.eventSeq ?? 0)).toBeUndefined()
})
