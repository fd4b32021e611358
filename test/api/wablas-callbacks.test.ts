import { expect, test } from 'vitest'
import { wablasFormat } from '../../server/slices/compat/wablas/callbacks.ts'
import { SANDBOX } from '../support/app.ts'
import { startWithCallbacks } from '../support/callbacks.ts'
import { startReceiver } from '../support/receiver.ts'

const NOBODY = { recordedAt: 1_795_248_000_000, webhookId: 'evt_1', message: undefined, sender: undefined }
const NO_DEVICE = { sender: '', deviceId: '', device_id: '' }
const said = (event: Parameters<typeof wablasFormat.callOf>[0]): unknown => JSON.parse(wablasFormat.callOf(event).body)

test('statuses come by the id of the answer, a failure with its reason', async () => {
  const { app, clock, key, webhook, send } = await startWithCallbacks()
  const receiver = await startReceiver()
  await webhook(receiver.url, { format: 'wablas' })
  const id = await send('6281234560000')
  await app.reached(id, 'sent')
  await clock.advance(600)
  const ours = { sender: '', deviceId: SANDBOX, device_id: SANDBOX }
  const told = await receiver.calls(3)
  expect(told.map(({ text }) => JSON.parse(text))).toEqual(
    ['sent', 'delivered', 'read'].map((status) => ({ id, phone: '6281234560000', status, note: '', ...ours })),
  )
  const wrong = await send('6281234560001')
  const { error } = await app.reached(wrong, 'failed')
  const later = await send('6281234560000', { delay: 60 })
  await app.call(key, `/messages/${later}`, undefined, { method: 'DELETE' })
  const ends = (await receiver.calls(5)).slice(3).map(({ text }) => JSON.parse(text))
  expect(ends).toEqual([
    { id: wrong, phone: '6281234560001', status: 'reject', note: error?.message, ...ours },
    { id: later, phone: '6281234560000', status: 'cancel', note: '', ...ours },
  ])
})

test('a reply: phone is the customer, what Kurir does not keep is empty', () => {
  const data = {
    sender_code: 'SND-1',
    from: '628111111111',
    from_user_id: null,
    type: 'text',
    text: 'Masih buka?',
    reply_to: null,
    occurred_at: '2026-11-21T08:00:00.000Z',
  }
  expect(said({ ...NOBODY, type: 'message.received', data })).toEqual({
    id: 'evt_1',
    pushName: '',
    isGroup: false,
    group: { sender: '', subject: '', owner: '', desc: '', participants: null },
    message: 'Masih buka?',
    phone: '628111111111',
    messageType: 'text',
    file: '',
    url: '',
    mimeType: '',
    ...NO_DEVICE,
    isFromMe: false,
    timestamp: '2026-11-21T08:00:00.000Z',
    profileImage: '',
  })
})

test.each([
  ['sender.linked', null, { status: 'connected', note: 'ready to use' }],
  ['sender.disconnected', 'connection_lost', { status: 'disconnected', note: 'connection_lost' }],
] as const)('%s is a word of the device', (type, reason, words) => {
  const told = { ...NO_DEVICE, deviceName: '', timestamp: '2026-11-21T08:00:00.000Z', ...words }
  expect(said({ ...NOBODY, type, data: { reason }, recordedAt: Date.UTC(2026, 10, 21, 8) })).toEqual(told)
})

test('a test names no message that a program knows', () => {
  expect(said({ ...NOBODY, type: 'webhook.test', data: {} })).toMatchObject({ id: 'test', status: 'pending' })
})
