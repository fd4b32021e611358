import { expect, test } from 'vitest'
import { fonnteFormat } from '../../server/slices/compat/fonnte/callbacks.ts'
import { SANDBOX } from '../support/app.ts'
import { startWithCallbacks } from '../support/callbacks.ts'
import { startReceiver } from '../support/receiver.ts'
import { CUSTOMER, startShop } from '../support/shop.ts'

const said = ({ text }: { text: string }): unknown => JSON.parse(text)

test('what never left has no state, and a status of Fonnte', async () => {
  const { app, key, webhook, send } = await startWithCallbacks()
  const receiver = await startReceiver()
  await webhook(receiver.url, { format: 'fonnte' })
  const failed = await app.reached(await send('6281234560001'), 'failed')
  const [first] = await receiver.calls(1)
  const nothing = { device: SANDBOX, stateid: null, state: null }
  expect(first && said(first)).toEqual({ ...nothing, id: String(failed.seq), status: 'invalid' })
  const id = await send('6281234560000', { delay: 60 })
  await app.call(key, `/messages/${id}`, undefined, { method: 'DELETE' })
  const [, second] = await receiver.calls(2)
  expect(second && said(second)).toEqual({ ...nothing, id: String((await app.message(id)).seq), status: 'expired' })
})

test('a linked number: what a customer writes, and statuses by the id of WhatsApp', async () => {
  const { app, link, send, peer } = await startShop()
  await link()
  const [replies, statuses] = [await startReceiver(), await startReceiver()]
  for (const [receiver, events] of [
    [replies, ['message.received']],
    [statuses, undefined],
  ] as const) {
    const body = { url: receiver.url, format: 'fonnte', ...(events && { events }) }
    expect((await app.owner('/api/webhooks', { body })).status).toBe(200)
  }
  const { seq, providerMessageId } = await app.reached(await send({ message: 'Halo' }), 'delivered', 'read')
  const [sender] = app.app.store.senders.list().filter(({ kind }) => kind === 'linked')
  const [sent] = await statuses.calls(1)
  expect(sent && said(sent)).toEqual({
    device: sender?.phone,
    id: String(seq),
    stateid: providerMessageId,
    status: 'sent',
    state: 'sent',
  })
  await peer.recipient(CUSTOMER).send('Masih buka?')
  const [reply] = await replies.calls(1)
  expect(reply && said(reply)).toMatchObject({
    device: sender?.phone,
    sender: CUSTOMER,
    message: 'Masih buka?',
    name: '',
    timestamp: expect.any(Number),
  })
})

test.each([
  ['sender.linked', null, { status: 'connect' }],
  ['sender.disconnected', 'connection_lost', { status: 'disconnect', reason: 'connection_lost' }],
  ['sender.unlinked', null, { status: 'disconnect', reason: 'disconnect' }],
] as const)('%s is a word of the device, without its key', (type, reason, words) => {
  const event = {
    type,
    webhookId: 'w',
    recordedAt: 1_795_248_000_000,
    data: { reason },
    message: undefined,
    sender: undefined,
  }
  expect(JSON.parse(fonnteFormat.callOf(event).body)).toEqual({
    device: '',
    token: '',
    timestamp: 1_795_248_000,
    ...words,
  })
})
