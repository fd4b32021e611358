import { describe, expect, test } from 'vitest'
import type { Client } from '../../support/plain-client.ts'
import { CUSTOMER, createPlainWorld, find, heard, OWNER, pn, sendText } from './world.ts'

const SECOND = 1000

describe('the phone’s list of linked devices', () => {
  test('has four places; what is in it stays until it is removed', async () => {
    const { peer, client, linked } = await createPlainWorld()
    const clients = []
    for (let n = 0; n < 4; n += 1) clients.push(await linked())
    const [first] = clients
    for (const { socket } of clients) await socket.end(undefined)
    expect(first?.phone.linkedDevices).toEqual([1, 2, 3, 4])
    const fifth = client()
    await expect(peer.phone(OWNER).scan(await fifth.qr())).rejects.toThrow('too many linked devices')

    const again = client(first?.auth)
    await again.open
    await again.socket.logout()
    await again.closed
    await expect.poll(() => first?.phone.linkedDevices).toEqual([2, 3, 4])
    await peer.phone(OWNER).scan(await fifth.qr())
    expect(first?.phone.linkedDevices).toEqual([2, 3, 4, 5])
  })

  test('is changed by each client for itself alone', async () => {
    const { linked } = await createPlainWorld()
    const [client, other] = [await linked(), await linked()]
    const remove = (jid: string) =>
      client.socket.query({
        tag: 'iq',
        attrs: { to: 's.whatsapp.net', type: 'set', xmlns: 'md' },
        content: [{ tag: 'remove-companion-device', attrs: { jid, reason: 'user_initiated' } }],
      })
    await expect(remove(pn(OWNER, 2))).rejects.toThrow('forbidden')
    expect(other.phone.linkedDevices).toEqual([1, 2])
    await remove(pn(OWNER, 1)).catch(() => 'the connection ends with it')
    expect(other.phone.linkedDevices).toEqual([2])
  })

  test('is announced to the other clients when it changes', async () => {
    const { linked } = await createPlainWorld()
    const client = await linked()
    const added = heard(client, 'CB:notification,type:account_sync')
    const other = await linked()
    const list = find(await added, 'devices')
    expect(list?.content).toMatchObject([0, 1, 2].map((device) => ({ attrs: { jid: pn(OWNER, device) } })))
    const removed = heard(client, 'CB:notification,type:account_sync')
    other.phone.unlink()
    expect(find(await removed, 'devices')?.content).toHaveLength(2)
  })
})

describe('a passkey that WhatsApp wants first', () => {
  const confirm = ({ socket }: Client, id: string) =>
    socket.sendNode({
      tag: 'ack',
      attrs: { id, to: 's.whatsapp.net', class: 'notification', type: 'passkey_prologue_request' },
    })

  test('is asked for with its options; the client has to confirm it, and is not linked', async () => {
    const { peer, client } = await createPlainWorld()
    const phone = peer.phone(OWNER, { passkey: 'asked' })
    const linking = client()
    const asked = heard(linking, 'CB:notification,type:passkey_prologue_request')
    const scanned = phone.scan(await linking.qr())
    const options = find(await asked, 'passkey_request_options')
    expect(JSON.parse(`${options?.content}`)).toMatchObject({ rpId: 'whatsapp.com', userVerification: 'required' })
    await confirm(linking, (await asked).attrs.id ?? '')
    expect(await scanned).toBe('passkey')
    expect(phone.isLinked).toBe(false)
  })

  test('may be asked for without options, which are given on demand', async () => {
    const { peer, client } = await createPlainWorld()
    const phone = peer.phone(OWNER, { passkey: 'asked without options' })
    const linking = client()
    const asked = heard(linking, 'CB:notification,type:passkey_prologue_request')
    const scanned = phone.scan(await linking.qr())
    expect(find(await asked, 'passkey_request_options')).toBeUndefined()
    const answer = await linking.socket.query({
      tag: 'iq',
      attrs: { to: 's.whatsapp.net', type: 'get', xmlns: 'md' },
      content: [{ tag: 'passkey_request_options', attrs: {} }],
    })
    expect(`${find(answer, 'passkey_request_options')?.content}`).toContain('whatsapp.com')
    await confirm(linking, (await asked).attrs.id ?? '')
    expect(await scanned).toBe('passkey')
  })

  test('is not confirmed by the library, whose codes run out', async () => {
    const { peer, client } = await createPlainWorld({ refs: 2 })
    const linking = client(undefined, { qrTimeout: 500 })
    await expect(peer.phone(OWNER, { passkey: 'asked' }).scan(await linking.qr())).rejects.toThrow('hung up')
    expect((await linking.closed).code).toBe(408)
  })

  test('is asked for after a pairing code, too', async () => {
    const { peer, client } = await createPlainWorld()
    const phone = peer.phone(OWNER, { passkey: 'asked', kind: 'lenient 2024' })
    const linking = client()
    await linking.qr()
    const asked = heard(linking, 'CB:notification,type:passkey_prologue_request')
    const typed = phone.enterCode(await linking.socket.requestPairingCode(OWNER))
    await confirm(linking, (await asked).attrs.id ?? '')
    expect(await typed).toBe('passkey')
  })
})

describe('a pairing code', () => {
  test.each([
    ['Kurir', 'Chrome'],
    ['Windows', 'Kurir'],
    ['', ''],
  ])('is refused to a client that calls itself %s, %s', async (system, browser) => {
    const { client } = await createPlainWorld()
    const linking = client(undefined, { browser: [system, browser, '1.0'] })
    await linking.qr()
    const refused = heard(linking, 'CB:iq,type:error')
    await linking.socket.requestPairingCode(OWNER)
    expect(find(await refused, 'error')?.attrs).toMatchObject({ code: '400' })
  })

  test('is refused to a client that writes a text for the nonce, as the library does', async () => {
    const { client } = await createPlainWorld()
    const linking = client()
    await linking.qr()
    const refused = heard(linking, 'CB:iq,type:error')
    await linking.socket.requestPairingCode(OWNER)
    expect(find(await refused, 'error')?.attrs).toMatchObject({ code: '400' })
  })

  test.each([400, 429])('is refused with %i when the test says so', async (code) => {
    const { peer, client } = await createPlainWorld()
    peer.faults.refusePairingCode = code
    const linking = client()
    await linking.qr()
    const refused = heard(linking, 'CB:iq,type:error')
    // The library takes no note of it.
    expect(await linking.socket.requestPairingCode(OWNER)).toHaveLength(8)
    expect(find(await refused, 'error')?.attrs.code).toBe(String(code))
  })

  test('lives for three minutes and three tries', async () => {
    const { peer, client, pass } = await createPlainWorld()
    const phone = peer.phone(OWNER, { kind: 'lenient 2024' })
    const first = client()
    await first.qr()
    await first.socket.requestPairingCode(OWNER, 'AAAA1111')
    for (let n = 0; n < 3; n += 1) await expect(phone.enterCode('BBBB2222')).rejects.toThrow('another one')
    await expect(phone.enterCode('AAAA1111')).rejects.toThrow('too often')

    const second = client()
    await second.qr()
    const hello = second.socket.requestPairingCode(OWNER, 'CCCC3333')
    await hello
    await expect.poll(() => peer.journal.connections.length).toBe(2)
    pass(181 * SECOND)
    await expect(phone.enterCode('CCCC3333')).rejects.toThrow(/expired|too often/)
  })
})

test('a re-linked number is another device, and the old one’s keys are worth nothing', async () => {
  const { client, linked } = await createPlainWorld()
  const first = await linked()
  first.phone.unlink()
  const second = await linked()
  expect(second.auth.creds.me?.id).toBe(pn(OWNER, 2))
  expect((await client(first.auth).closed).code).toBe(401)
  expect(await sendText(second, pn(CUSTOMER), 'halo')).not.toHaveProperty('error')
})
