import { describe, expect, test } from 'vitest'
import type { StreamError } from '../../support/whatsapp-peer/closing.ts'
import { CUSTOMER, createPlainWorld, heard, OWNER, pn, sendText } from './world.ts'

const HOUR = 3_600_000

describe('a login is refused', () => {
  test.each([
    { reason: '400' },
    { reason: '401', logout_message_header: 'Keluar', logout_message_locale: 'id' },
    { reason: '402', code: '101', expire: '3600', message: 'banned', url: 'https://faq.example' },
    { reason: '403', logout_message_header: 'Akun dikunci', logout_message_subtext: 'Buka ponsel', appeal_token: 'x' },
    { reason: '405' },
    { reason: '406' },
    { reason: '409' },
    { reason: '415' },
    { reason: '418' },
    { reason: '500' },
    { reason: '501' },
    { reason: '503' },
  ])('with $reason and all that WhatsApp says of it', async (attributes) => {
    const { peer, client, linked } = await createPlainWorld()
    const { auth, phone, socket } = await linked()
    await socket.end(undefined)
    phone.refuse(attributes)
    const refused = client(auth)
    expect(await refused.closed).toEqual({ code: Number(attributes.reason), data: { location: 'rva', ...attributes } })
    phone.refuse(undefined)
    await client(auth).open
    expect(peer.journal.logins.map(({ outcome }) => outcome)).toEqual(['success', attributes.reason, 'success'])
  })

  test('for a time: each attempt is written down with what is left', async () => {
    const { peer, client, linked, pass, now } = await createPlainWorld()
    const { auth, phone, closed } = await linked()
    const begin = now()
    phone.ban({ code: 104, seconds: 48 * 3600 })
    expect(await closed).toMatchObject({ code: 402, data: { code: '104', expire: '172800' } })
    pass(HOUR)
    expect(await client(auth).closed).toMatchObject({ code: 402, data: { expire: String(47 * 3600) } })
    pass(47 * HOUR)
    await client(auth).open
    expect(peer.journal.logins.map(({ at, outcome }) => [at - begin, outcome])).toEqual([
      [0, 'success'],
      [HOUR, '402'],
      [48 * HOUR, 'success'],
    ])
    expect(peer.journal.logins[0]).toMatchObject({ account: OWNER, device: 1, build: expect.any(Number) })
  })

  test('and even who does not come so far is written down', async () => {
    const { peer, client, linked } = await createPlainWorld()
    const { auth } = await linked()
    const before = peer.journal.connections.length
    peer.faults.refuseUpgrade = 503
    const { socket } = client(auth)
    await heard({ socket } as Parameters<typeof heard>[0], 'unexpected-response')
    expect(peer.journal.connections).toHaveLength(before + 1)
    expect(peer.journal.logins).toHaveLength(1)
  })
})

describe('a connection ends with a stream error', () => {
  test.each<[StreamError, number, object]>([
    ['device removed', 401, { tag: 'conflict', attrs: { type: 'device_removed' } }],
    ['device removed, without a code', 440, { tag: 'conflict', attrs: { type: 'device_removed' } }],
    ['device removed, 516', 516, { tag: 'stream:error' }],
    ['replaced', 440, { tag: 'conflict', attrs: { type: 'replaced' } }],
    ['replaced, 409', 409, { tag: 'stream:error' }],
    ['rate limit', 429, { tag: 'stream:error' }],
    ['going down', 503, { tag: 'stream:error' }],
    ['waiting for an ack', 500, { tag: 'ack', attrs: { class: 'message' } }],
    ['not well-formed', 500, { tag: 'xml-not-well-formed' }],
    ['restart', 515, { tag: 'stream:error' }],
  ])('%s', async (end, code, data) => {
    const { linked } = await createPlainWorld()
    const { phone, closed } = await linked()
    phone.disconnect(end)
    expect(await closed).toMatchObject({ code, data })
  })

  test.each(['device removed', 'device removed, without a code', 'device removed, 516'] as const)(
    'after which the device is off the list: %s',
    async (end) => {
      const { client, linked } = await createPlainWorld()
      const { auth, phone, closed } = await linked()
      phone.unlink(end)
      await closed
      expect(phone.linkedDevices).toEqual([])
      expect((await client(auth).closed).code).toBe(401)
    },
  )
})

describe('a build', () => {
  const build = (number: number) => ({ version: [2, 3000, number] as [number, number, number] })

  test('that is too old is refused, at the login and before it', async () => {
    const { peer, client, linked } = await createPlainWorld()
    const { auth, socket } = await linked()
    await socket.end(undefined)
    peer.versions.require(1_050_000_000)
    expect((await client(auth).closed).code).toBe(405)
    expect((await client(undefined, build(1_049_999_999)).closed).code).toBe(405)
    await client(auth, build(1_050_000_000)).open
    await client(undefined, build(1_050_000_000)).qr()
  })

  test('that is too old may still show QR codes that no phone can use', async () => {
    const { peer, client } = await createPlainWorld({ refs: 2 })
    peer.versions.requireForLinking(1_050_000_000)
    const linking = client(undefined, { ...build(1_035_194_821), qrTimeout: 300 })
    await expect(peer.phone(OWNER).scan(await linking.qr())).rejects.toThrow("couldn't link device")
    expect((await linking.closed).code).toBe(408)
  })

  test('is announced to be refused from a day on, and the announcement taken back', async () => {
    const { peer, client, linked, now } = await createPlainWorld()
    const { auth } = await linked()
    const end = now() + 48 * HOUR
    peer.versions.announceEnd(1_043_857_760, end)
    const announced = await heard(client(auth), 'CB:ib,,client_expiration')
    expect(announced.content).toMatchObject([{ attrs: { t: String(Math.floor(end / 1000)) } }])
    peer.versions.announceEnd(1_043_857_760)
    const takenBack = await heard(client(auth), 'CB:ib,,client_expiration')
    expect(takenBack.content).toMatchObject([{ tag: 'client_expiration', attrs: {} }])
  })
})

test('a line that leaves a stanza unanswered is cut after 50 minutes, with the name of that stanza', async () => {
  const { peer, linked, pass } = await createPlainWorld()
  const client = await linked()
  // The library does not know it.
  const id = peer.recipient(CUSTOMER).postStatusStanza()
  await sendText(client, pn(CUSTOMER), 'halo')
  pass(2_900_000)
  await sendText(client, pn(CUSTOMER), 'masih ada')
  pass(101_000)
  await client.socket.sendNode({ tag: 'presence', attrs: { type: 'unavailable', name: 'Toko' } })
  expect(await client.closed).toMatchObject({ code: 500, data: { tag: 'ack', attrs: { class: 'status', id } } })
})
