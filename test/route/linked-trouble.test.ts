import { describe, expect, test } from 'vitest'
import { CUSTOMER, startShop } from '../support/shop.ts'

const idsAtServer = (shop: Awaited<ReturnType<typeof startShop>>) => shop.peer.journal.messages.map(({ id }) => id)

describe('without an acknowledgement', () => {
  test('a message is never called sent; the same id goes out again, at most five times', async () => {
    const shop = await startShop()
    await shop.link()
    shop.peer.faults.acknowledge('never')
    const id = await shop.send({})
    const failed = await shop.app.reached(id, 'failed')
    expect(failed.error).toMatchObject({ code: 'not_acknowledged' })
    expect(failed.attempts).toBe(5)
    expect(new Set(idsAtServer(shop))).toEqual(new Set([failed.providerMessageId]))
    const detail = await shop.app.owner<{ timeline: { type: string }[] }>(`/api/messages/${id}`)
    expect(detail.body.data.timeline.map(({ type }) => type)).not.toContain('sent')
  })

  test.each(['cut before', 'cut after', 'lost'] as const)(
    'a line that breaks (%s) ends with one message at the phone',
    async (fault) => {
      const shop = await startShop()
      await shop.link()
      shop.peer.faults.acknowledge(fault, { next: 1 })
      const id = await shop.send({ message: 'once' })
      const { providerMessageId } = await shop.app.reached(id, 'read')
      expect(new Set(idsAtServer(shop))).toEqual(new Set([providerMessageId]))
      const texts = (await shop.peer.recipient(CUSTOMER).messages()).map((message) => message.text)
      expect(new Set(texts)).toEqual(new Set(['once']))
    },
  )
})

test('a frozen line is noticed and renewed, and the message arrives', async () => {
  const shop = await startShop()
  await shop.link()
  shop.peer.faults.freeze()
  const id = await shop.send({})
  await shop.until((view) => view.state !== 'connected')
  shop.peer.faults.thaw()
  await shop.app.reached(id, 'read')
})

test('the server restarts: what is posted meanwhile waits and arrives in order', async () => {
  const shop = await startShop()
  await shop.link()
  await shop.peer.stop()
  await shop.until((view) => view.state !== 'connected')
  const ids = []
  for (let n = 0; n < 20; n += 1) ids.push(await shop.send({ message: `n${n}` }))
  await shop.peer.start()
  for (const id of ids) await shop.app.reached(id, 'read')
  const texts = (await shop.peer.recipient(CUSTOMER).messages()).map((message) => message.text)
  expect(texts).toEqual(ids.map((_, n) => `n${n}`))
})

describe('a closed connection', () => {
  test.each([
    [403, 'restricted'],
    [440, 'replaced'],
    [401, 'logged_out'],
  ] as const)('with %i leaves the sender %s until the owner acts', async (code, state) => {
    const shop = await startShop()
    await shop.link()
    if (code === 440) await shop.replace()
    else if (code === 401) await shop.phone.unlink()
    else await shop.phone.disconnect(code)
    const view = await shop.state(state)
    expect(view.reason).toEqual(expect.any(String))
    const id = await shop.send({})
    expect((await shop.app.message(id)).status).toBe('queued')
    expect((await shop.view()).held_by).toBe('not_connected')
  })

  test.each([408, 428, 500, 503, 515])('with %i comes back by itself', async (code) => {
    const shop = await startShop()
    await shop.link()
    await shop.phone.disconnect(code)
    await shop.app.reached(await shop.send({}), 'read')
  })
})

test('the phone unlinks the sender with 1,000 messages waiting and links again: none is lost, all in order', async () => {
  // A machine that takes a second for an acknowledgement sends nothing again: as long as in a shop.
  const shop = await startShop({ overrides: { linked: { timeouts: { query: 1_000, connection: 3_000 } } } })
  await shop.link()
  await shop.owner('pause')
  const ids: string[] = []
  for (let n = 0; n < 1_000; n += 1) ids.push(await shop.send({ message: `n${n}` }))
  await shop.phone.unlink()
  await shop.owner('resume')
  const waiting = await shop.state('logged_out')
  expect(waiting).toMatchObject({ waiting: 1_000, held_by: 'not_connected' })
  await shop.link()
  await shop.peer.journal.arrived(1_000)
  for (const id of ids) await shop.app.reached(id, 'sent', 'delivered', 'read')
  const texts = (await shop.peer.recipient(CUSTOMER).messages()).map((message) => message.text)
  expect(texts).toEqual(ids.map((_, n) => `n${n}`))
})

test('a restart of Kurir keeps the link, the queue and what the recipient got', async () => {
  const shop = await startShop()
  await shop.link()
  const first = await shop.app.reached(await shop.send({ message: 'first' }), 'read')
  await shop.owner('pause')
  const waiting = await shop.send({ message: 'second' })
  await shop.app.restart()
  await shop.owner('resume')
  await shop.app.reached(waiting, 'read')
  const customer = shop.peer.recipient(CUSTOMER)
  await customer.askRetry(first.providerMessageId ?? '')
  await shop.peer.journal.arrived(3)
  expect((await customer.messages()).map((message) => message.text)).toEqual(['first', 'second', 'first'])
})

test('by a pairing code', async () => {
  const shop = await startShop()
  await shop.app.owner(`/api/senders/${shop.sender}/link`, { body: { method: 'code', phone: '6281111111111' } })
  const { pairing_code: code, expires_at: until } = await shop.until((view) => view.pairing_code !== null)
  expect(Date.parse(until ?? '')).toBeGreaterThan(Date.now())
  await shop.phone.enterCode(code ?? '')
  await shop.state('connected')
})
