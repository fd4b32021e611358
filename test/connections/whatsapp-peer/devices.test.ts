import { describe, expect, test } from 'vitest'
import { participantHash } from '../../support/whatsapp-peer/participant-hash.ts'
import { CUSTOMER, createPlainWorld, find, heard, lid, OWNER, ownLid, pn, sendRaw, sendText } from './world.ts'

describe('a device without keys', () => {
  test.each([404, 406])('is named with %i beside those that have some; the library gives up at it', async (code) => {
    const { peer, linked } = await createPlainWorld()
    const client = await linked()
    const customer = peer.recipient(CUSTOMER, { devices: 3 })
    customer.withholdKeys(1, code)
    const answer = await client.socket.query({
      tag: 'iq',
      attrs: { xmlns: 'encrypt', type: 'get', to: 's.whatsapp.net' },
      content: [
        {
          tag: 'key',
          attrs: {},
          content: [0, 1, 2].map((n) => ({ tag: 'user', attrs: { jid: lid(customer.lid, n) } })),
        },
      ],
    })
    const users = find(answer, 'list')?.content as { attrs: Record<string, string>; content: object[] }[]
    expect(users.map(({ attrs }) => attrs.jid)).toEqual([0, 1, 2].map((n) => lid(customer.lid, n)))
    expect(users[1]?.content).toMatchObject([{ tag: 'error', attrs: { code: String(code) } }])
    expect(users[2]?.content).toHaveLength(5)
    await expect(client.socket.relayMessage(pn(CUSTOMER), { conversation: 'x' }, {})).rejects.toThrow()
    expect(peer.journal.messages).toEqual([])
    customer.withholdKeys(1, undefined)
    expect(await sendText(client, pn(CUSTOMER), 'now')).not.toHaveProperty('error')
  })

  test('may make the whole question fail', async () => {
    const { peer, linked } = await createPlainWorld()
    const client = await linked()
    peer.faults.refuseQuery('encrypt key', 406, { next: 1 })
    await expect(client.socket.assertSessions([pn(CUSTOMER)])).rejects.toMatchObject({ data: 406 })
    expect(await client.socket.assertSessions([pn(CUSTOMER)])).toBe(true)
  })
})

test('a hosted device is in the list, and a direct message to it is refused', async () => {
  const { peer, linked } = await createPlainWorld()
  const client = await linked()
  peer.recipient(CUSTOMER, { hosted: true })
  const found = await client.socket.getUSyncDevices([pn(CUSTOMER)], false, false)
  expect(found.map(({ jid }) => jid)).toEqual([pn(CUSTOMER), `${CUSTOMER}:99@hosted`])
  expect(await sendText(client, pn(CUSTOMER), 'to all')).toMatchObject({ error: '400' })
  expect(await sendRaw(client, { to: pn(CUSTOMER), participants: [pn(CUSTOMER)] })).not.toHaveProperty('error')
})

describe('the hash of an acknowledgement', () => {
  test('is that of the right devices, in the form of the address', async () => {
    const { peer, linked } = await createPlainWorld()
    const client = await linked()
    peer.recipient(CUSTOMER, { devices: 2, hosted: true })
    const expected = participantHash([pn(CUSTOMER), pn(CUSTOMER, 1), pn(OWNER)])
    const all = await sendRaw(client, { to: pn(CUSTOMER), participants: [pn(CUSTOMER, 1), pn(OWNER), pn(CUSTOMER)] })
    const some = await sendRaw(client, { to: pn(CUSTOMER), participants: [pn(CUSTOMER)] })
    expect([all, some]).toMatchObject([{ phash: expected }, { phash: expected }])

    const other = await linked({ kind: 'migrated' }, '6281111111112')
    const { lid: user } = peer.recipient(CUSTOMER)
    const byLid = await sendRaw(other, { to: lid(user), participants: [lid(user)] })
    expect(byLid).toMatchObject({ phash: participantHash([lid(user), lid(user, 1), ownLid(other)]) })
  })
})

describe('a change of devices', () => {
  test('is announced to numbers that have a chat with the person, with both addresses', async () => {
    const { peer, linked } = await createPlainWorld()
    const [client, stranger] = [await linked(), await linked({}, '6281111111112')]
    const customer = peer.recipient(CUSTOMER)
    await sendText(client, pn(CUSTOMER), 'halo')
    let others = 0
    stranger.socket.ws.on('CB:notification,type:devices', () => (others += 1))

    const added = heard(client, 'CB:notification,type:devices')
    const device = customer.addDevice()
    expect((await added).attrs).toMatchObject({ from: pn(CUSTOMER), lid: lid(customer.lid) })
    expect(find(await added, 'add', 'device')?.attrs).toMatchObject({
      jid: pn(CUSTOMER, device),
      lid: lid(customer.lid, device),
      'key-index': String(device),
    })
    const removed = heard(client, 'CB:notification,type:devices')
    customer.removeDevice(device)
    expect(find(await removed, 'remove', 'device')?.attrs.jid).toBe(pn(CUSTOMER, device))
    expect(others).toBe(0)
  })

  test('may be announced by a hash from the own account alone', async () => {
    const { peer, linked } = await createPlainWorld()
    const client = await linked()
    const customer = peer.recipient(CUSTOMER, { devices: 2 })
    await sendText(client, pn(CUSTOMER), 'halo')
    const update = heard(client, 'CB:notification,type:devices')
    customer.removeDevice(1, { byHash: true })
    expect((await update).attrs.from).toBe(pn(OWNER))
    expect(find(await update, 'update')?.attrs).toEqual({ hash: expect.any(String) })
  })

  test('may not be announced at all; the hash of the next acknowledgement shows it', async () => {
    const { peer, linked } = await createPlainWorld()
    const client = await linked()
    const customer = peer.recipient(CUSTOMER)
    const before = await sendText(client, pn(CUSTOMER), 'one')
    customer.addDevice({ silently: true })
    const after = await sendText(client, pn(CUSTOMER), 'two')
    expect(after).toMatchObject({ phash: expect.any(String) })
    expect(after.phash).not.toBe(before.phash)
  })
})

describe('look-ups', () => {
  test('are written down with what they ask for and when', async () => {
    const { peer, linked, pass, now } = await createPlainWorld()
    const client = await linked()
    const begin = now()
    await client.socket.onWhatsApp(CUSTOMER)
    pass(500)
    await client.socket.getUSyncDevices([pn(CUSTOMER)], false, false)
    expect(peer.journal.lookUps.map(({ at, ...lookUp }) => ({ after: at - begin, ...lookUp }))).toEqual([
      { after: 0, account: OWNER, context: 'interactive', protocols: ['contact'], users: [`+${CUSTOMER}`] },
      { after: 500, account: OWNER, context: 'message', protocols: ['devices', 'lid'], users: [pn(CUSTOMER)] },
    ])
  })

  test('give the LID where they ask for it, in one question or in the older way', async () => {
    const { peer, linked } = await createPlainWorld()
    const client = await linked()
    const customer = peer.recipient(CUSTOMER)
    peer.unknownNumber('6280000000000')
    const ask = (contact: Record<string, string>, number: string, ...protocols: string[]) =>
      client.socket.query({
        tag: 'iq',
        attrs: { to: 's.whatsapp.net', type: 'get', xmlns: 'usync' },
        content: [
          {
            tag: 'usync',
            attrs: { context: 'interactive', mode: 'query', sid: '1', last: 'true', index: '0' },
            content: [
              {
                tag: 'query',
                attrs: {},
                content: [{ tag: 'contact', attrs: contact }, ...protocols.map((tag) => ({ tag, attrs: {} }))],
              },
              {
                tag: 'list',
                attrs: {},
                content: [{ tag: 'user', attrs: {}, content: [{ tag: 'contact', attrs: {}, content: `+${number}` }] }],
              },
            ],
          },
        ],
      })
    const user = async (...args: Parameters<typeof ask>) => find(await ask(...args), 'usync', 'list', 'user')
    expect(await user({}, CUSTOMER, 'lid')).toMatchObject({
      attrs: { jid: pn(CUSTOMER) },
      content: [{ attrs: { type: 'in' } }, { tag: 'lid', attrs: { val: lid(customer.lid) } }],
    })
    expect(await user({ addressing_mode: 'lid' }, CUSTOMER)).toMatchObject({
      attrs: { jid: lid(customer.lid), pn_jid: pn(CUSTOMER) },
    })
    expect(await user({}, '6280000000000', 'lid')).toMatchObject({ content: [{ attrs: { type: 'out' } }] })
  })

  test('may be refused', async () => {
    const { peer, linked } = await createPlainWorld()
    const client = await linked()
    peer.faults.refuseQuery('usync usync', 429, { next: 1 })
    await expect(client.socket.onWhatsApp(CUSTOMER)).rejects.toMatchObject({ data: 429 })
    expect(await client.socket.onWhatsApp(CUSTOMER)).toMatchObject([{ exists: true }])
  })
})
