import { request } from 'undici'
import { expect, test } from 'vitest'
import { OWNER_TOKEN } from '../../support/app.ts'
import { isShared } from '../../support/engine.ts'
import { CUSTOMER, startShop } from '../../support/shop.ts'
import { createWorld, RECIPIENT } from './world.ts'

type World = Awaited<ReturnType<typeof createWorld>>

/** Puts the sessions back, once the number is stopped, as they are now. */
async function imageOf({ store, senderId }: World): Promise<() => Promise<void>> {
  const type = 'session'
  const image = await store.sessions.keysOf(senderId, type)
  return () =>
    store.sessions.setKeys(
      senderId,
      image.map(({ id, value }) => ({ type, id, value })),
    )
}

test('a text that leaves from an older image of the sessions can be read by every device', async () => {
  const world = await createWorld()
  const { peer, open, message } = world
  const customer = peer.recipient(RECIPIENT, { devices: 2 })
  const first = open()
  const phone = await first.link()
  await first.send(await message('before'))
  const putBack = await imageOf(world)
  for (const text of ['lost 1', 'lost 2']) await first.send(await message(text))
  await first.linked.stop()
  await putBack()

  const second = open()
  second.linked.start()
  await second.state('connected')
  for (const text of ['after 1', 'after 2']) await second.send(await message(text))

  const all = ['before', 'lost 1', 'lost 2', 'after 1', 'after 2']
  const textsOf = (got: { text: string | undefined }[] = []) => got.map(({ text }) => text)
  expect(textsOf(await customer.messages()), "the customer's phone").toEqual(all)
  expect(textsOf(await customer.onDevice(1)?.messages()), "the customer's computer").toEqual(all)
  expect(await phone.copies(), 'the own phone').toHaveLength(all.length)
  expect(peer.journal.messageKeys.usedTwice).toEqual([])
})

test('what a customer writes is read from an older image of the sessions, and asked for again where it has to be', async () => {
  const world = await createWorld()
  const { peer, open, message } = world
  const customer = peer.recipient(RECIPIENT)
  const read = new Set<string>()
  let arrival = Promise.withResolvers<void>()
  const run = () =>
    open({
      async onReceived({ text }) {
        read.add(text ?? '')
        arrival.resolve()
        arrival = Promise.withResolvers()
      },
    })
  const writes = async (text: string) => {
    await customer.send(text)
    while (!read.has(text)) await arrival.promise
  }
  const first = run()
  await first.link()
  await first.send(await message('1'))
  await writes('in the session of the first text')
  const putBack = await imageOf(world)
  await first.linked.stop()

  const second = run()
  second.linked.start()
  await second.state('connected')
  await writes('in a session of the run before')
  // A step that the image does not have, and the customer answers to it.
  await second.send(await message('2'))
  await writes('in the session of the second text')
  await second.send(await message('3'))
  await second.linked.stop()
  await putBack()

  const third = run()
  third.linked.start()
  await third.state('connected')
  await writes('in a session that the image does not have')
  await third.send(await message('4'))
  await writes('in the newest session')
  expect(read.size).toBe(5)
  expect((await customer.messages()).map(({ text }) => text)).toEqual(['1', '2', '3', '4'])
  expect(peer.journal.messageKeys.usedTwice).toEqual([])
})

test.skipIf(isShared)('after a restore every text can be read', async () => {
  const shop = await startShop()
  const customer = shop.peer.recipient(CUSTOMER, { devices: 2 })
  await shop.link()
  const send = async (text: string) => shop.app.reached(await shop.send({ message: text }), 'read')
  await send('before')
  const backup = await request(`${shop.app.url}/api/backup`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OWNER_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ passphrase: 'rahasia warung' }),
    reset: true,
  })
  const file = Buffer.from(await backup.body.arrayBuffer())
  await send('since')
  const headers = { 'content-type': 'application/octet-stream', 'x-passphrase': 'rahasia%20warung' }
  expect((await shop.app.owner('/api/restore', { body: file, headers })).status).toBe(200)
  await shop.app.restart()
  await shop.state('connected')
  await send('after')
  expect((await customer.messages()).map(({ text }) => text)).toEqual(['before', 'since', 'after'])
  expect((await customer.onDevice(1)?.messages())?.map(({ text }) => text)).toEqual(['before', 'since', 'after'])
})
