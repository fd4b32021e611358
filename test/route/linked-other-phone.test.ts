import { describe, expect, test } from 'vitest'
import { CUSTOMER, SHOP, startShop } from '../support/shop.ts'

const OTHER = '6282222222222'

type Shop = Awaited<ReturnType<typeof startShop>>

/** Links by the QR code that the API shows, with a phone of its own. */
async function linkWith(shop: Shop, number: string): Promise<void> {
  await shop.app.owner(`/api/senders/${shop.sender}/link`, { body: { method: 'qr' } })
  const { qr } = await shop.until((view) => view.qr !== null)
  await shop.peer.phone(number).scan(qr ?? '')
  await shop.until((view) => view.state === 'connected' && view.phone === number && view.linking === null)
}

/** A shop that is logged out, and a message that waits. */
async function waiting() {
  const shop = await startShop()
  await shop.link()
  shop.phone.unlink()
  await shop.state('logged_out')
  const id = await shop.send({ message: 'Tagihan bulan ini' })
  return { shop, id }
}

describe('another phone, linked while messages wait', () => {
  test('holds them until the owner confirms it', async () => {
    const { shop, id } = await waiting()
    await linkWith(shop, OTHER)
    expect(await shop.view()).toMatchObject({
      ...{ state: 'connected', phone: OTHER, previous_phone: SHOP, waiting: 1 },
      ...{ held_by: 'other_phone', next_send_at: null },
    })
    // It waits over a restart as well.
    await shop.app.restart()
    expect(await shop.until((view) => view.held_by === 'other_phone')).toMatchObject({ waiting: 1 })
    expect(shop.peer.journal.messages).toEqual([])

    await shop.owner('confirm-phone')
    await shop.app.reached(id, 'read')
    expect(shop.peer.journal.messages.map(({ account }) => account)).toEqual([OTHER])
    expect(await shop.view()).toMatchObject({ previous_phone: null, held_by: null })
  })

  test('gives way to the right one without a question', async () => {
    const { shop, id } = await waiting()
    await linkWith(shop, OTHER)
    await linkWith(shop, SHOP)
    await shop.app.reached(id, 'read')
    expect(shop.peer.journal.messages.map(({ account }) => account)).toEqual([SHOP])
    expect(await shop.view()).toMatchObject({ previous_phone: null })
  })

  test('needs no answer when nothing waits', async () => {
    const shop = await startShop()
    await shop.link()
    await linkWith(shop, OTHER)
    expect(await shop.view()).toMatchObject({ previous_phone: null, held_by: null })
    await shop.app.reached(await shop.send({ phone: CUSTOMER }), 'read')
  })
})

test('what the former number sent is not deleted by another one', async () => {
  const shop = await startShop()
  const revoke = (id: string) => shop.app.call(shop.key, `/messages/${id}/revoke`, undefined, { method: 'POST' })
  await shop.link()
  const former = await shop.send({ message: 'salah kirim' })
  await shop.app.reached(former, 'read')
  await linkWith(shop, OTHER)
  const refused = await revoke(former)
  expect([refused.status, refused.body.error?.code]).toEqual([409, 'message_not_revocable'])
  expect(refused.body.message).toMatch(/^Only the number that sent a message can delete it/)
  expect(shop.peer.journal.messages.map(({ account }) => account)).toEqual([SHOP])

  const own = await shop.send({ message: 'salah kirim lagi' })
  await shop.app.reached(own, 'read')
  await linkWith(shop, OTHER)
  // The new connection is open.
  await shop.app.reached(await shop.send({ message: 'yang benar' }), 'read')
  expect((await revoke(own)).status).toBe(200)
  expect(shop.peer.journal.messages.map(({ account }) => account)).toEqual([SHOP, ...Array(3).fill(OTHER)])
})

test('the link page, left without a scan, changes nothing that callers and the owner see of the state', async () => {
  const { shop } = await waiting()
  const before = await shop.view()
  await shop.app.owner(`/api/senders/${shop.sender}/link`, { body: { method: 'qr' } })
  const shown = await shop.until((view) => view.qr !== null)
  expect(shown).toMatchObject({
    state: 'logged_out',
    reason: before.reason,
    since: before.since,
    held_by: before.held_by,
  })
  const seen = await shop.app.call<{ state: string }[]>(shop.key, '/senders')
  expect(seen.body.data).toMatchObject([{ state: 'logged_out' }])
})
