import { expect, test } from 'vitest'
import { revokeMessage } from '../../server/messages/actions.ts'
import { startLanes } from '../support/lane.ts'
import { startReceiver } from '../support/receiver.ts'
import { CUSTOMER, startShop } from '../support/shop.ts'

test('a sent message is deleted at the customer’s, once, and callers hear of it', async () => {
  const receiver = await startReceiver()
  const { app, peer, key, link, send } = await startShop()
  await link()
  await app.owner('/api/webhooks', { body: { url: receiver.url } })
  const revoke = (id: string) =>
    app.call<{ status: string }>(key, `/messages/${id}/revoke`, undefined, { method: 'POST' })

  const waiting = await send({ message: 'nanti', delay: 600 })
  expect((await revoke(waiting)).body.error.code).toBe('message_not_revocable')

  const id = await send({ message: 'salah kirim' })
  const { providerMessageId } = await app.reached(id, 'delivered', 'read')
  const answer = await revoke(id)
  expect(answer.status, answer.text).toBe(200)
  expect(['delivered', 'read']).toContain(answer.body.data.status)
  const [message, deletion] = await peer.recipient(CUSTOMER).messages()
  expect(message?.id).toBe(providerMessageId)
  expect(deletion?.content.protocolMessage).toMatchObject({ type: 0, key: { id: providerMessageId, fromMe: true } })
  const { event } = await receiver.event('message.revoked', id)
  expect(event.data).toMatchObject({ id, message_id: id, recipient: CUSTOMER })
  expect((await revoke(id)).body.error.code).toBe('message_not_revocable')
})

test('two presses in the same moment delete it once', async () => {
  const { app, peer, key, link, send } = await startShop()
  await link()
  const id = await send({ message: 'salah kirim' })
  const { seq } = await app.reached(id, 'delivered', 'read')
  const revoke = () => app.call(key, `/messages/${id}/revoke`, undefined, { method: 'POST' })
  const answers = await Promise.all([revoke(), revoke()])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  const events = await app.app.store.events.ofMessage(seq)
  expect(events.filter(({ type }) => type === 'message.revoked')).toHaveLength(1)
  expect(await peer.recipient(CUSTOMER).messages()).toHaveLength(2)
})

test('a node that does not hold the sender does not call it disconnected', async () => {
  const lane = await startLanes()
  const id = await lane.accept('salah kirim')
  await lane.quiet()
  await expect(revokeMessage(lane.run.messaging, id)).rejects.toThrow(/^The connection of this sender is not here now/)
  await lane.run.store.senders.change(1, () => ({ state: 'offline' }))
  await expect(revokeMessage(lane.run.messaging, id)).rejects.toThrow(/not connected/)
})
