import { describe, expect, test } from 'vitest'
import { bytesOf, CUSTOMER, createPlainWorld, find, heard, lid, OWNER, ownLid, pn, sendRaw, sendText } from './world.ts'

describe('an unmigrated account', () => {
  test('is heard by phone number and refused by LID', async () => {
    const { peer, linked } = await createPlainWorld()
    const client = await linked({ kind: 'unmigrated' })
    const customer = peer.recipient(CUSTOMER)
    expect(await sendText(client, pn(CUSTOMER), 'by number')).not.toHaveProperty('error')
    expect(await sendText(client, lid(customer.lid), 'by LID')).toMatchObject({ error: '400' })
    expect((await customer.messages()).map(({ text }) => text)).toEqual(['by number'])
    expect(peer.journal.messages).toMatchObject([{ delivered: true }, { delivered: false, error: '400' }])
  })

  test('reaches a contact who has moved by LID only', async () => {
    const { peer, linked } = await createPlainWorld()
    const client = await linked({ kind: 'unmigrated' })
    const customer = peer.recipient(CUSTOMER)
    customer.moved = true
    expect(await sendText(client, pn(CUSTOMER), 'by number')).toMatchObject({ error: '463' })
    expect(await sendText(client, lid(customer.lid), 'by LID')).not.toHaveProperty('error')
    expect((await customer.messages()).map(({ text }) => text)).toEqual(['by LID'])
  })
})

describe('a migrated account', () => {
  test('is heard by LID and refused by phone number', async () => {
    const { peer, linked } = await createPlainWorld()
    const client = await linked({ kind: 'migrated' })
    const customer = peer.recipient(CUSTOMER, { devices: 2 })
    expect(await sendText(client, pn(CUSTOMER), 'by number')).toMatchObject({ error: '400' })
    expect(await sendText(client, lid(customer.lid), 'by LID')).not.toHaveProperty('error')
    for (const device of [0, 1]) expect((await customer.onDevice(device)?.next())?.text).toBe('by LID')
    expect(peer.journal.messages.at(-1)).toMatchObject({ to: CUSTOMER, address: lid(customer.lid), delivered: true })
  })

  test('gets receipts and messages from LIDs', async () => {
    const { peer, linked } = await createPlainWorld()
    const client = await linked({ kind: 'migrated' })
    const customer = peer.recipient(CUSTOMER)
    const receipt = heard(client, 'CB:receipt')
    const message = heard(client, 'CB:message')
    await sendText(client, lid(customer.lid), 'halo')
    expect((await receipt).attrs.from).toBe(ownLid(client))
    await customer.send('juga', OWNER)
    expect((await message).attrs).toMatchObject({ from: lid(customer.lid), sender_pn: pn(CUSTOMER) })
  })

  test('does not learn devices by phone number, and its own not by LID', async () => {
    const { peer, linked } = await createPlainWorld()
    const client = await linked({ kind: 'migrated' })
    const customer = peer.recipient(CUSTOMER)
    const devicesOf = async (...jids: string[]) => {
      const found = await client.socket.getUSyncDevices(jids, false, false)
      return found.map(({ jid }) => jid)
    }
    expect(await devicesOf(pn(CUSTOMER))).toEqual([])
    expect(await devicesOf(lid(customer.lid))).toEqual([lid(customer.lid)])
    expect(await devicesOf(ownLid(client))).toEqual([])
    expect(await devicesOf(pn(OWNER))).toEqual([pn(OWNER)])
    peer.phone(OWNER, { ownDevicesByLid: 'listed' })
    expect(await devicesOf(ownLid(client))).toEqual([ownLid(client), lid(client.phone.lid, 1)])
  })

  test('learns it when it links, where the server says it at all', async () => {
    for (const [account, props] of [
      [{ kind: 'migrated' }, '08011001'],
      [{ kind: 'unmigrated' }, '08001000'],
      [{ kind: 'migrated', clientProps: 'missing' }, undefined],
      [{ kind: 'migrated', clientProps: 'unreadable' }, 'ffffff'],
      [{ kind: 'lenient 2024' }, undefined],
    ] as const) {
      const { peer, client } = await createPlainWorld()
      const linking = client()
      const success = heard(linking, 'CB:iq,,pair-success')
      await peer.phone(OWNER, account).scan(await linking.qr())
      const given = bytesOf(find(await success, 'pair-success', 'client-props'))
      expect(given?.toString('hex')).toBe(props)
    }
  })

  test('may become one on any day: a prop and the pairs say so', async () => {
    const { peer, linked } = await createPlainWorld()
    const client = await linked({ kind: 'unmigrated' })
    const mapping = heard(client, 'CB:message')
    await client.phone.migrate([CUSTOMER])
    expect((await mapping).attrs).toMatchObject({ category: 'peer', from: pn(OWNER) })
    expect(await sendText(client, pn(CUSTOMER), 'late')).toMatchObject({ error: '400' })
    expect(await sendText(client, lid(peer.recipient(CUSTOMER).lid), 'right')).not.toHaveProperty('error')
  })
})

describe('a stanza is refused whole', () => {
  test('unless each participant is one of the two people, once, in the form of the address', async () => {
    const { peer, linked } = await createPlainWorld()
    const client = await linked({ kind: 'unmigrated' })
    const customer = peer.recipient(CUSTOMER, { devices: 2, hosted: true })
    const stranger = peer.recipient('6289999999999')
    const to = pn(CUSTOMER)
    const right = [pn(CUSTOMER), pn(CUSTOMER, 1), pn(OWNER)]
    const send = (participants: string[]) => sendRaw(client, { to, participants })

    expect(await send(right)).not.toHaveProperty('error')
    // Without its own phone it is taken as well; only the hash says that a device is missing.
    expect(await send([pn(CUSTOMER)])).not.toHaveProperty('error')
    for (const participants of [
      [...right, lid(customer.lid)],
      [pn(CUSTOMER), ownLid(client)],
      [...right, pn(stranger.number)],
      [...right, pn(CUSTOMER, 1)],
      [...right, pn(OWNER, 1)],
      [...right, `${CUSTOMER}:99@hosted`],
      [],
    ]) {
      expect(await send(participants), participants.join()).toMatchObject({ error: '400' })
    }
    expect(peer.journal.messages.filter(({ delivered }) => delivered)).toHaveLength(2)
  })

  test('with attributes of groups, a wrong number, or without the proof of the phone', async () => {
    const { peer, linked } = await createPlainWorld()
    const client = await linked({ kind: 'migrated' })
    const { lid: user } = peer.recipient(CUSTOMER)
    const message = { to: lid(user), participants: [lid(user)] }
    const refused = { error: '400' }

    expect(await sendRaw(client, { ...message, deviceIdentity: false })).toMatchObject(refused)
    expect(await sendRaw(client, { ...message, attrs: { peer_recipient_pn: pn(CUSTOMER) } })).not.toHaveProperty(
      'error',
    )
    for (const attrs of [
      { peer_recipient_pn: pn('6289999999999') },
      { peer_recipient_pn: pn(CUSTOMER, 1) },
      { peer_recipient_pn: lid(user) },
      { addressing_mode: 'lid' },
      { phash: '2:abcdefgh' },
    ]) {
      expect(await sendRaw(client, { ...message, attrs }), JSON.stringify(attrs)).toMatchObject(refused)
    }
    expect(await sendRaw(client, { ...message, nodes: [{ tag: 'bot', attrs: {} }] })).toMatchObject(refused)
    expect(await sendRaw(client, { ...message, to: lid(user, 1) })).toMatchObject(refused)
  })

  test('to nobody who is on WhatsApp', async () => {
    const { peer, linked } = await createPlainWorld()
    const client = await linked()
    peer.unknownNumber('6280000000000')
    const message = { to: pn('6280000000000'), participants: [pn(OWNER)] }
    expect(await sendRaw(client, message)).toMatchObject({ error: '404' })
  })

  test('is taken by a lenient server of 2024', async () => {
    const { peer, linked } = await createPlainWorld()
    const client = await linked({ kind: 'lenient 2024' })
    const customer = peer.recipient(CUSTOMER)
    expect(
      await sendRaw(client, { to: pn(CUSTOMER), participants: [pn(CUSTOMER), ownLid(client)] }),
    ).not.toHaveProperty('error')
    expect(await sendText(client, lid(customer.lid), 'by LID')).not.toHaveProperty('error')
  })
})

test('a message that reaches only the own devices is acknowledged, and reaches nobody', async () => {
  const { peer, linked } = await createPlainWorld()
  const client = await linked()
  const { id, ...ack } = await sendRaw(client, { to: pn(CUSTOMER), participants: [pn(OWNER)] })
  expect(ack).not.toHaveProperty('error')
  expect(peer.journal.messages).toMatchObject([{ id, acked: true, delivered: false }])
})

test('the owner’s phone shows what its companions write', async () => {
  const { linked } = await createPlainWorld()
  const client = await linked()
  await sendText(client, pn(CUSTOMER), 'halo')
  const [copy] = await client.phone.copies()
  expect(copy?.content.deviceSentMessage).toMatchObject({
    destinationJid: pn(CUSTOMER),
    message: { conversation: 'halo' },
  })
})

describe('a LID that has changed', () => {
  test('still arrives, and the acknowledgement asks to look it up again', async () => {
    const { peer, linked } = await createPlainWorld()
    const client = await linked({ kind: 'migrated' })
    const customer = peer.recipient(CUSTOMER)
    const former = customer.lid
    expect(await sendText(client, lid(former), 'before')).not.toHaveProperty('refresh_lid')
    customer.changeLid()
    expect(await sendText(client, lid(former), 'old address')).toMatchObject({ refresh_lid: 'true', from: lid(former) })
    expect(await sendText(client, lid(customer.lid), 'new address')).not.toHaveProperty('refresh_lid')
    expect((await customer.messages()).map(({ text }) => text)).toEqual(['before', 'old address', 'new address'])
  })
})
