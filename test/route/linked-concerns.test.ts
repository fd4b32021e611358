import { describe, expect, onTestFinished, test } from 'vitest'
import type { Concern } from '../../server/contract/concerns.ts'
import type { Overview } from '../../server/contract/operation.ts'
import { startHttpServer } from '../support/http-server.ts'
import { SHOP, startShop } from '../support/shop.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const OTHER = '6282222222222'

type Shop = Awaited<ReturnType<typeof startShop>>

/** What the owner's first page says of the number. */
async function concerns({ app, sender }: Shop): Promise<Concern[]> {
  const { concerns: found } = (await app.owner<Overview>('/api/overview')).body.data
  return found.filter(({ sender_code }) => sender_code === sender)
}

/** Milliseconds from now to the end that a concern names. */
const endsIn = (found: Concern | undefined): number => Date.parse(found?.until ?? '') - Date.now()

async function linked(options?: Parameters<typeof startShop>[0]): Promise<Shop> {
  const shop = await startShop(options)
  await shop.link()
  expect(await concerns(shop)).toEqual([])
  return shop
}

describe('a number that cannot send is one concern, which counts the messages that wait', () => {
  test.each<[string, (shop: Shop) => unknown, Partial<Concern>]>([
    ['removed on the phone', ({ phone }) => phone.unlink(), { code: 'logged_out', action: 'link_again' }],
    ['connected elsewhere', ({ replace }) => replace(), { code: 'replaced', action: 'use_here' }],
    ['banned', ({ phone }) => phone.refuse({ reason: '406' }), { code: 'banned', action: 'what_to_do' }],
    [
      'locked, in the words of WhatsApp',
      ({ phone }) =>
        phone.refuse({ reason: '403', logout_message_header: 'Akun dikunci', logout_message_subtext: 'Buka WhatsApp' }),
      { code: 'locked', action: 'what_to_do', detail: 'Akun dikunci\nBuka WhatsApp' },
    ],
    [
      'refused for a reason that nobody knows',
      ({ phone }) => phone.refuse({ reason: '418' }),
      { code: 'refused_by_whatsapp', detail: '418' },
    ],
  ])('%s', async (_, happens, expected) => {
    const shop = await linked()
    await happens(shop)
    await shop.until(({ state }) => state !== 'connected' && state !== 'connecting')
    await shop.send({})
    const found = await concerns(shop)
    expect(found).toHaveLength(1)
    expect(found).toMatchObject([{ weight: 'urgent', waiting: 1, until: null, ...expected }])
  })

  test('banned for a time: with the code of WhatsApp and the end', async () => {
    const shop = await linked()
    shop.phone.ban({ code: 101, seconds: 7_200 })
    await shop.state('restricted')
    const found = await concerns(shop)
    expect(found).toMatchObject([{ code: 'temporarily_banned', weight: 'urgent', detail: '101' }])
    expect(Math.abs(endsIn(found[0]) - 2 * HOUR)).toBeLessThan(10 * MINUTE)
  })

  test('removed shortly after WhatsApp limited it: not to be linked again now', async () => {
    const shop = await linked()
    shop.phone.lock({ ms: HOUR })
    await shop.until((view) => view.first_contacts_wait_until !== null)
    shop.phone.unlink()
    await shop.state('logged_out')
    expect(await concerns(shop)).toMatchObject([{ code: 'removed_by_whatsapp', action: 'what_to_do' }])
  })

  test('where something else answers in place of WhatsApp', async () => {
    const shop = await linked()
    shop.peer.present('forged')
    shop.phone.disconnect(428)
    await shop.until(({ reason }) => reason === 'untrusted_server')
    expect(await concerns(shop)).toMatchObject([{ code: 'untrusted_server', weight: 'urgent', action: null }])
  })

  test('with a version of the protocol that WhatsApp takes no more', async () => {
    const page = await startHttpServer((_req, res) => res.end('{"client_revision":1049000000}'))
    onTestFinished(page.close)
    const shop = await linked({ env: { KURIR_WHATSAPP_VERSION_URL: page.url } })
    shop.peer.versions.require(1_050_000_000)
    shop.phone.disconnect('going down')
    await shop.until(({ reason }) => reason === 'protocol_outdated')
    // It tries again and again, and is connecting for a moment.
    await expect
      .poll(() => concerns(shop))
      .toMatchObject([{ code: 'protocol_outdated', weight: 'urgent', action: 'update' }])
  })
})

describe('new chats that WhatsApp holds back', () => {
  test('by a lock: with its end and what waits, until it is taken back', async () => {
    const shop = await linked()
    shop.phone.lock({ ms: HOUR })
    await shop.until((view) => view.first_contacts_wait_until !== null)
    const ids = [await shop.send({ phone: '6285500000001' }), await shop.send({ phone: '6285500000002' })]
    const found = await concerns(shop)
    expect(found).toMatchObject([{ code: 'reach_out_lock', weight: 'warning', waiting: 2 }])
    expect(Math.abs(endsIn(found[0]) - HOUR)).toBeLessThan(10 * MINUTE)
    shop.phone.unlock()
    for (const id of ids) await shop.app.reached(id, 'read')
    expect(await concerns(shop)).toEqual([])
  })

  test('by a cap, and before it is reached', async () => {
    const shop = await linked()
    const cap = { total: 30, warnAt: [20, 25] as [number, number], cycleEndsAt: Date.now() + HOUR }
    shop.phone.cap({ ...cap, used: 26 })
    await shop.until((view) => view.new_chats?.warning === 'second')
    expect(await concerns(shop)).toMatchObject([
      { code: 'new_chats_nearly_used', weight: 'warning', detail: '26 / 30', until: expect.any(String) },
    ])
    shop.phone.cap({ ...cap, used: 30 })
    await shop.until((view) => view.new_chats?.warning === 'capped')
    const found = await concerns(shop)
    expect(found).toMatchObject([{ code: 'new_chats_capped', weight: 'warning' }])
    expect(Math.abs(endsIn(found[0]) - HOUR)).toBeLessThan(10 * MINUTE)
  })
})

test('another phone than the one whose messages wait is a decision, with its number', async () => {
  const shop = await linked()
  shop.phone.unlink()
  await shop.state('logged_out')
  const id = await shop.send({})
  await shop.app.owner(`/api/senders/${shop.sender}/link`, { body: { method: 'qr' } })
  const { qr } = await shop.until((view) => view.qr !== null)
  await shop.peer.phone(OTHER).scan(qr ?? '')
  await shop.until((view) => view.state === 'connected' && view.linking === null)
  expect(await concerns(shop)).toMatchObject([
    { code: 'other_phone', weight: 'urgent', action: 'decide', waiting: 1, detail: OTHER },
  ])
  await shop.owner('confirm-phone')
  await shop.app.reached(id, 'read')
  expect(await concerns(shop)).toEqual([])
})

describe('an attempt to link that shows no code', () => {
  test('because WhatsApp wants a passkey', async () => {
    const shop = await startShop()
    const phone = shop.peer.phone(SHOP, { passkey: 'asked' })
    await shop.app.owner(`/api/senders/${shop.sender}/link`, { body: { method: 'qr' } })
    const { qr } = await shop.until((view) => view.qr !== null)
    expect(await phone.scan(qr ?? '')).toBe('passkey')
    await shop.until((view) => view.linking?.reason === 'passkey_required')
    expect(await concerns(shop)).toMatchObject([{ code: 'passkey_required', weight: 'urgent', action: 'link' }])
  })

  test('because WhatsApp refused the pairing code', async () => {
    const shop = await startShop()
    shop.peer.faults.refusePairingCode = 429
    await shop.app.owner(`/api/senders/${shop.sender}/link`, { body: { method: 'code', phone: SHOP } })
    await shop.until((view) => view.linking?.reason === 'pairing_code_refused')
    expect(await concerns(shop)).toMatchObject([{ code: 'pairing_code_refused', action: 'link', detail: '429' }])
  })

  test('beside a link that stands: it goes on sending, and is no trouble', async () => {
    const shop = await linked()
    shop.peer.faults.refusePairingCode = 400
    await shop.app.owner(`/api/senders/${shop.sender}/link`, { body: { method: 'code', phone: SHOP } })
    await shop.until((view) => view.linking?.reason === 'pairing_code_refused')
    expect(await concerns(shop)).toEqual([])
  })
})
