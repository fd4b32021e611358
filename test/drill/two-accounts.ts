import { expect } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { startReceiver } from '../support/receiver.ts'
import { SHOP, startShop } from '../support/shop.ts'

const MIGRATED = '6283333333333'
const CUSTOMERS = Array.from({ length: 10 }, (_, n) => `6281200000${n}00`)

/** A number that is migrated to LIDs and one that is not, in one program: so many messages through each, a restart between. */
export async function sendSideBySide(messages: number): Promise<void> {
  const receiver = await startReceiver()
  const shop = await startShop({ fewKeys: false })
  await shop.app.owner('/api/webhooks', { body: { url: receiver.url, events: ['message.read'] } })
  await shop.link()
  const second = await shop.app.sender('linked', { name: 'Cabang', pacing: { min_seconds: 0, max_seconds: 0 } })
  await linkMigrated()
  for (const number of CUSTOMERS) {
    for (const account of [SHOP, MIGRATED]) await shop.peer.recipient(number).send('Ada stok?', account)
  }
  for (const account of [SHOP, MIGRATED]) await eventually(() => shop.peer.phone(account).pending.unconfirmed === 0)

  async function linkMigrated(): Promise<void> {
    await shop.app.owner(`/api/senders/${second}/link`, { body: { method: 'qr' } })
    const view = async () =>
      (await shop.app.owner<{ qr: string | null; state: string }>(`/api/senders/${second}`)).body.data
    await eventually(async () => (await view()).qr !== null)
    await shop.peer.phone(MIGRATED, { kind: 'migrated' }).scan((await view()).qr ?? '')
    await eventually(async () => (await view()).state === 'connected')
  }

  const key = await shop.app.key()
  const ids: string[] = []
  async function post(count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      for (const sender_code of [shop.sender, second]) {
        const body = { sender_code, phone: CUSTOMERS[n % CUSTOMERS.length], message: `nomor ${ids.length}` }
        ids.push((await shop.app.call<{ id: string }>(key, '/send', body)).body.data.id)
      }
    }
  }
  await post(messages / 2)
  await shop.app.restart()
  await post(messages / 2)
  for (const id of ids) await shop.app.reached(id, 'read')

  const { journal } = shop.peer
  expect(journal.messages.flatMap(({ error }) => error ?? [])).toEqual([])
  const formsOf = (account: string) =>
    new Set(journal.messages.filter((one) => one.account === account).map(({ address }) => address.split('@')[1]))
  expect(formsOf(SHOP)).toEqual(new Set(['s.whatsapp.net']))
  expect(formsOf(MIGRATED)).toEqual(new Set(['lid']))
  const called = await receiver.calls(ids.length)
  expect(new Set(called.map(({ event }) => event.data.recipient))).toEqual(new Set(CUSTOMERS))
  for (const number of CUSTOMERS) {
    const texts = (await shop.peer.recipient(number).messages()).map(({ from, text }) => `${from} ${text}`)
    expect(texts).toHaveLength((2 * messages) / CUSTOMERS.length)
    expect(new Set(texts).size).toBe(texts.length)
  }
}
