import { type BinaryNode, encodeSignedDeviceIdentity, encodeWAMessage } from 'baileys'
import { describe, expect, test } from 'vitest'
import type { Client } from '../../support/plain-client.ts'
import { lidOf } from '../../support/whatsapp-peer/address.ts'
import type { GroupOptions } from '../../support/whatsapp-peer/index.ts'
import { participantHash } from '../../support/whatsapp-peer/participant-hash.ts'
import { acknowledgement, CUSTOMER, createPlainWorld, find, heard, lid, nextId, OWNER, ownLid, pn } from './world.ts'

const [ANI, BUDI] = [CUSTOMER, '6281234567891']

interface Written {
  /** Devices that get the key with it. */
  keyFor: readonly string[]
  phash?: string
  mode?: 'lid' | 'pn'
}

/** Writes as both other clients do: the library leaves the hash out, and sends its own device a key. */
async function write({ socket, auth, ...client }: Client, to: string, { keyFor, phash, mode = 'lid' }: Written) {
  const id = nextId()
  const acked = acknowledgement({ socket, auth, ...client }, id)
  const meId = (mode === 'lid' ? auth.creds.me?.lid : auth.creds.me?.id) ?? ''
  const data = encodeWAMessage({ conversation: 'Rapat jam 5' })
  const { ciphertext, senderKeyDistributionMessage } = await socket.signalRepository.encryptGroupMessage({
    ...{ group: to, meId, data },
  })
  await socket.assertSessions([...keyFor])
  const { nodes } = await socket.createParticipantNodes([...keyFor], {
    senderKeyDistributionMessage: { groupId: to, axolotlSenderKeyDistributionMessage: senderKeyDistributionMessage },
  })
  const { account } = auth.creds
  await socket.sendNode({
    tag: 'message',
    attrs: { id, to, type: 'text', addressing_mode: mode, ...(phash === undefined ? {} : { phash }) },
    content: [
      ...(nodes.length > 0 ? [{ tag: 'participants', attrs: {}, content: nodes }] : []),
      ...(account ? [{ tag: 'device-identity', attrs: {}, content: encodeSignedDeviceIdentity(account, true) }] : []),
      { tag: 'enc', attrs: { v: '2', type: 'skmsg' }, content: ciphertext },
    ],
  })
  return { id, ...(await acked).attrs } as { id: string; error?: string; phash?: string }
}

const query = (client: Client, to: string, child: BinaryNode) =>
  client.socket.query({ tag: 'iq', attrs: { xmlns: 'w:g2', type: 'get', to }, content: [child] })

async function inGroup(options: Partial<GroupOptions> = {}, kind: 'migrated' | 'unmigrated' = 'migrated') {
  const world = await createPlainWorld()
  const client = await world.linked({ kind, ownDevicesByLid: 'listed' })
  const [ani, budi] = [world.peer.recipient(ANI, { devices: 2 }), world.peer.recipient(BUDI)]
  const group = world.peer.group('Dapur', { members: [OWNER, ANI, BUDI], ...options })
  const others = [ownLid(client), lid(ani.lid), lid(ani.lid, 1), lid(budi.lid)]
  const hash = () => participantHash([...others, client.auth.creds.me?.lid ?? ''])
  /** As it is right for all devices. */
  const right = (): Written => ({ keyFor: others, phash: hash() })
  return { ...world, client, group, ani, budi, hash, right }
}

describe('a message to a group', () => {
  test('is opened by every device of every member with the key that came along; each member says so', async () => {
    const { client, group, ani, budi, right, peer } = await inGroup()
    const receipts: BinaryNode[] = []
    client.socket.ws.on('CB:receipt', (node: BinaryNode) => receipts.push(node))
    const sent = await write(client, group.jid, right())
    expect(sent).not.toHaveProperty('error')
    expect(sent).not.toHaveProperty('phash')
    for (const device of [ani, ani.onDevice(1), budi]) {
      expect(await device?.next()).toMatchObject({ text: 'Rapat jam 5', group: group.jid, from: OWNER })
    }
    await expect.poll(() => receipts.length).toBe(5)
    const members = receipts.filter(({ attrs }) => attrs.type !== 'sender')
    expect(new Set(members.map(({ attrs }) => attrs.participant))).toEqual(new Set([lid(ani.lid), lid(budi.lid)]))
    expect(new Set(receipts.map(({ attrs }) => attrs.from))).toEqual(new Set([group.jid]))
    expect(peer.keysInGroup(lid(ani.lid, 1), sent.id)).toHaveLength(1)
  })

  test('needs no key where it came before; two keys of one chain are never the same', async () => {
    const { client, group, ani, right, peer } = await inGroup()
    await write(client, group.jid, right())
    const second = await write(client, group.jid, { ...right(), keyFor: [] })
    await ani.next()
    expect(await ani.next()).toMatchObject({ id: second.id, text: 'Rapat jam 5' })
    expect(peer.keysInGroup(lid(ani.lid), second.id)).toEqual([])
    expect(peer.journal.messageKeys.usedTwice).toEqual([])
  })

  test('is acknowledged with the right hash where its own is another one, and delivered', async () => {
    const { client, group, budi, hash, right } = await inGroup()
    expect(await write(client, group.jid, { ...right(), phash: '2:AAAAAAAA' })).toMatchObject({ phash: hash() })
    expect(await budi.next()).toMatchObject({ text: 'Rapat jam 5' })
  })

  test.each([
    ['without a hash', { phash: undefined }, '400'],
    ['in the other addressing mode', { mode: 'pn', keyFor: [] }, '421'],
    ['with a key for somebody else', { keyFor: [lid(lidOf('6281234567899'))] }, '400'],
    ['with a key for a device by number', { keyFor: [pn(BUDI)] }, '400'],
  ] as const)('%s is refused', async (_, more, error) => {
    const { client, group, budi, right, peer } = await inGroup()
    peer.recipient('6281234567899')
    expect((await write(client, group.jid, { ...right(), ...(more as Partial<Written>) })).error).toBe(error)
    expect(await budi.messages()).toEqual([])
  })

  test('is refused from somebody who is no member, or no admin where only admins write', async () => {
    const { client, group, budi, right } = await inGroup({ members: [ANI, OWNER, BUDI] })
    group.setAnnounce(true)
    expect(await write(client, group.jid, right())).toMatchObject({ error: '403' })
    group.promote(OWNER)
    expect(await write(client, group.jid, right())).not.toHaveProperty('error')
    expect(await budi.next()).toMatchObject({ text: 'Rapat jam 5' })
    group.remove(OWNER)
    expect(await write(client, group.jid, right())).toMatchObject({ error: '403' })
  })

  test('that a device cannot open is asked for by that device', async () => {
    const { client, group, ani, right } = await inGroup()
    await write(client, group.jid, right())
    await Promise.all([ani.next(), ani.onDevice(1)?.next()])
    ani.reinstall()
    const receipts: BinaryNode[] = []
    client.socket.ws.on('CB:receipt', (node: BinaryNode) => receipts.push(node))
    const { id } = await write(client, group.jid, { ...right(), keyFor: [] })
    await expect
      .poll(() => receipts.find(({ attrs }) => attrs.type === 'retry')?.attrs)
      .toMatchObject({
        ...{ id, from: group.jid, participant: lid(ani.lid) },
      })
  })
})

describe('questions for groups', () => {
  test('list those of the account, with members only where they are asked for', async () => {
    const { client, group, ani } = await inGroup({ announce: true, timer: 86_400 })
    const all = await query(client, '@g.us', {
      tag: 'participating',
      attrs: {},
      content: [{ tag: 'participants', attrs: {} }],
    })
    const found = find(all, 'groups', 'group')
    expect(found?.attrs).toMatchObject({
      id: group.jid.split('@')[0],
      subject: 'Dapur',
      size: '3',
      addressing_mode: 'lid',
    })
    const children = (found?.content ?? []) as BinaryNode[]
    const members = children.filter(({ tag }) => tag === 'participant')
    expect(members.map(({ attrs }) => attrs)).toMatchObject([
      { type: 'admin', phone_number: pn(OWNER) },
      { jid: lid(ani.lid), phone_number: pn(ANI) },
      {},
    ])
    expect(find(found, 'announcement')).toBeDefined()
    expect(find(found, 'ephemeral')?.attrs.expiration).toBe('86400')
    const short = find(await query(client, '@g.us', { tag: 'participating', attrs: {} }), 'groups', 'group')
    expect(find(short, 'participant')).toBeUndefined()
  })

  test('about one are answered to members alone', async () => {
    const { client, group } = await inGroup()
    const ask = (jid: string) => query(client, jid, { tag: 'query', attrs: { request: 'interactive' } })
    expect(find(await ask(group.jid), 'group')?.attrs.subject).toBe('Dapur')
    await expect(ask('120363999999999999@g.us')).rejects.toMatchObject({ data: 404 })
    group.remove(OWNER)
    await expect(ask(group.jid)).rejects.toMatchObject({ data: 403 })
  })
})

test('changes are told to members, and to who leaves', async () => {
  const { client, group, budi } = await inGroup({ members: [ANI, OWNER, BUDI] })
  const told = () => heard(client, 'CB:notification,type:w:gp2')
  let change = told()
  group.remove(BUDI)
  expect(find(await change, 'remove', 'participant')?.attrs).toMatchObject({
    jid: lid(budi.lid),
    phone_number: pn(BUDI),
  })
  change = told()
  group.rename('Dapur 2')
  expect(find(await change, 'subject')?.attrs.subject).toBe('Dapur 2')
  change = told()
  group.remove(OWNER)
  expect(find(await change, 'remove')).toBeDefined()
})
