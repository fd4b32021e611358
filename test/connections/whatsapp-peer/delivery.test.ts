import { getHistoryMsg, proto, type WAMessage } from 'baileys'
import { Agent } from 'undici'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readHistory } from '../../../server/connections/linked/receiving/history.ts'
import { openHistoryFile } from '../../../server/connections/linked/receiving/history-file.ts'
import type { Client } from '../../support/plain-client.ts'
import { CUSTOMER, createPlainWorld, find, heard, lid, OWNER, pn, sendText } from './world.ts'

const askForMore = ({ socket }: Client, count: number) =>
  socket.sendNode({ tag: 'ib', attrs: {}, content: [{ tag: 'offline_batch', attrs: { count: String(count) } }] })

/** A number that was away while receipts for so many messages came. */
async function away(receipts: number) {
  const world = await createPlainWorld()
  const before = await world.linked()
  const customer = world.peer.recipient(CUSTOMER)
  customer.receipts = 'none'
  const { id } = await sendText(before, pn(CUSTOMER), 'halo')
  await expect.poll(() => before.phone.pending.unconfirmed).toBe(0)
  await before.socket.end(undefined)
  await expect.poll(() => before.phone.isOnline).toBe(false)
  const other = world.peer.recipient('6289999999999')
  for (let n = 0; n < receipts; n += 1) await other.send(`nomor ${n}`, OWNER)
  customer.deliver(id)
  return { ...world, ...before, id, customer }
}

describe('what waited for a client', () => {
  test('is announced, begins with five, and goes on when it is asked for', async () => {
    const { client, auth, phone } = await away(8)
    const after = client(auth)
    // The library asks once, for a hundred.
    after.socket.ws.removeAllListeners('CB:ib,,offline_preview')
    const preview = heard(after, 'CB:ib,,offline_preview')
    const end = heard(after, 'CB:ib,,offline')
    expect(find(await preview, 'offline_preview')?.attrs).toMatchObject({
      count: '10',
      message: '8',
      receipt: '1',
      notification: '1',
    })
    await expect.poll(() => phone.pending).toMatchObject({ unconfirmed: 5, withheld: 5 })
    await askForMore(after, 3)
    await expect.poll(() => phone.pending).toMatchObject({ unconfirmed: 2, withheld: 2 })
    await askForMore(after, 200)
    expect(find(await end, 'offline')?.attrs.count).toBe('10')
    await expect.poll(() => phone.pending).toEqual({ unconfirmed: 0, refused: 0, withheld: 0 })
  })

  test('stays behind after the hundred and fifth, when nobody asks again', async () => {
    const { client, auth, phone } = await away(110)
    const after = client(auth)
    await after.open
    await expect.poll(() => phone.pending).toMatchObject({ unconfirmed: 7, withheld: 7 })
    const receipt = heard(after, 'CB:receipt')
    await askForMore(after, 100)
    await receipt
    await expect.poll(() => phone.pending).toEqual({ unconfirmed: 0, refused: 0, withheld: 0 })
  })

  test('stays behind a stanza that the client refuses, until it confirms that plainly', async () => {
    const world = await createPlainWorld()
    const before = await world.linked()
    const { peer, client } = world
    const { phone, auth } = before
    await before.socket.end(undefined)
    await expect.poll(() => phone.isOnline).toBe(false)
    const customer = peer.recipient(CUSTOMER)
    const status = customer.postStatus(OWNER)
    await customer.send('di belakangnya', OWNER)

    // The library cannot read a status, asks for it again and refuses it.
    const first = client(auth)
    const refused = heard(first, 'CB:message')
    expect((await refused).attrs).toMatchObject({ id: status, from: 'status@broadcast', offline: '0' })
    await expect.poll(() => phone.pending.refused).toBe(1)
    await first.socket.end(undefined)
    await expect.poll(() => phone.isOnline).toBe(false)

    const behind = await customer.send('menunggu di belakangnya', OWNER)
    const second = client(auth)
    second.socket.ws.removeAllListeners('CB:message')
    const blocked = heard(second, 'CB:message')
    const node = await blocked
    expect(node.attrs.id).toBe(status)
    expect(phone.pending).toMatchObject({ refused: 1, withheld: 1 })
    // What is posted now waits behind it as well.
    await customer.send('masih di belakangnya', OWNER)
    expect(phone.pending).toMatchObject({ withheld: 2 })
    const next = heard(second, 'CB:message')
    await second.socket.sendMessageAck(node)
    expect((await next).attrs.id).toBe(behind)
    expect(phone.pending).toMatchObject({ withheld: 0 })
  })
})

describe('a message that cannot be read', () => {
  const retries = (client: Client) => {
    const seen: {
      count: string | undefined
      keys: boolean
      from: string | undefined
      recipient: string | undefined
    }[] = []
    client.socket.ws.on('CB:receipt,type:retry', (node) => {
      const { from, recipient } = node.attrs
      seen.push({ count: find(node, 'retry')?.attrs.count, keys: find(node, 'keys') !== undefined, from, recipient })
    })
    return seen
  }

  test('is asked for five times, with keys from the second on', async () => {
    const { peer, linked } = await createPlainWorld()
    const client = await linked({}, OWNER, { getMessage: async () => ({ conversation: 'halo' }) })
    const seen = retries(client)
    const customer = peer.recipient(CUSTOMER, { devices: 2 })
    const { id } = await sendText(client, pn(CUSTOMER), 'halo')
    for (let n = 1; n <= 5; n += 1) {
      customer.askRetry(id)
      await expect.poll(() => seen.length).toBe(n)
    }
    expect(seen.map(({ count, keys }) => [count, keys])).toEqual([
      ['1', false],
      ['2', true],
      ['3', true],
      ['4', true],
      ['5', true],
    ])
    expect(() => customer.askRetry(id)).toThrow('5 times at most')
    customer.askRetry(id, 1)
    await expect.poll(() => seen.at(-1)).toMatchObject({ count: '1', from: pn(CUSTOMER, 1) })
  })

  test('is answered by the library for one device alone, without tokens, and taken', async () => {
    const { peer, linked } = await createPlainWorld()
    const client = await linked({}, OWNER, { getMessage: async () => ({ conversation: 'halo' }) })
    const customer = peer.recipient(CUSTOMER, { devices: 2 })
    const { id } = await sendText(client, pn(CUSTOMER), 'halo')
    await customer.onDevice(1)?.next()
    customer.askRetry(id, 1)
    expect(await customer.onDevice(1)?.next()).toMatchObject({ id, text: 'halo' })
    expect(peer.journal.messages.at(-1)).toMatchObject({
      id,
      address: pn(CUSTOMER, 1),
      token: undefined,
      newChat: false,
    })
    expect(peer.journal.messages.at(-1)).not.toHaveProperty('error')
  })

  test('may be the copy on the owner’s own phone', async () => {
    const { linked } = await createPlainWorld()
    const client = await linked()
    const seen = retries(client)
    const { id } = await sendText(client, pn(CUSTOMER), 'halo')
    client.phone.askRetry(id)
    await expect.poll(() => seen).toMatchObject([{ count: '1', from: pn(OWNER), recipient: pn(CUSTOMER) }])
  })
})

describe('the history of a phone', () => {
  const notice = (client: Client) =>
    new Promise<proto.Message.IHistorySyncNotification>((resolve) => {
      client.socket.ev.on('messages.upsert', ({ messages }: { messages: WAMessage[] }) => {
        for (const { message } of messages) {
          const found = message ? getHistoryMsg(message) : null
          if (found) resolve(found)
        }
      })
    })
  const chunk = {
    chats: [{ id: '111222333444555@lid', pnJid: pn(CUSTOMER), lastMessageAt: 1_760_000_000, texts: ['rahasia'] }],
    salt: Buffer.alloc(32, 1),
    atLeast: 100_000,
  }
  async function read(
    notification: proto.Message.IHistorySyncNotification,
    world: Awaited<ReturnType<typeof createPlainWorld>>,
  ) {
    const dispatcher = new Agent({ connect: { ca: world.peer.mediaCa } })
    onTestFinished(() => dispatcher.destroy())
    const items = []
    for await (const item of readHistory(
      openHistoryFile(notification, { hosts: world.peer.media.named, dispatcher }),
    )) {
      items.push(item.kind)
    }
    return items
  }

  test('comes as a file on the media host, or in the message itself', async () => {
    const world = await createPlainWorld()
    const client = await world.linked()
    const first = notice(client)
    const { path } = await client.phone.sendHistory(chunk)
    expect(await first).toMatchObject({
      directPath: path,
      syncType: proto.HistorySync.HistorySyncType.INITIAL_BOOTSTRAP,
    })
    expect(await read(await first, world)).toEqual(['chat', 'salt'])
    expect(world.peer.media.requests).toEqual([{ method: 'GET', path }])

    const second = notice(client)
    await client.phone.sendHistory({ ...chunk, type: proto.HistorySync.HistorySyncType.RECENT }, { inline: true })
    expect((await second).directPath ?? '').toBe('')
    expect(await read(await second, world)).toEqual(['chat', 'salt'])
    expect(world.peer.media.requests).toHaveLength(1)
  })

  test('is removed from the host by who has read it', async () => {
    const world = await createPlainWorld()
    const client = await world.linked()
    const { path = '' } = await client.phone.sendHistory(chunk)
    const url = `https://${world.peer.media.address}${path}`
    const dispatcher = new Agent({ connect: { ca: world.peer.mediaCa } })
    onTestFinished(() => dispatcher.destroy())
    const { request } = await import('undici')
    expect((await request(url, { method: 'DELETE', dispatcher })).statusCode).toBe(200)
    expect((await request(url, { dispatcher })).statusCode).toBe(404)
  })
})

test('media hosts are named in order', async () => {
  const { peer, linked } = await createPlainWorld()
  const client = await linked()
  peer.media.named = ['127.0.0.1:9', peer.media.address]
  const { hosts } = await client.socket.refreshMediaConn(true)
  expect(hosts.map(({ hostname }) => hostname)).toEqual(['127.0.0.1:9', peer.media.address])
})

describe('server props', () => {
  const ask = async ({ socket }: Client, hash?: string) => {
    const answer = await socket.query({
      tag: 'iq',
      attrs: { to: 's.whatsapp.net', xmlns: 'abt', type: 'get' },
      content: [{ tag: 'props', attrs: { protocol: '1', ...(hash === undefined ? {} : { hash }) } }],
    })
    const props = find(answer, 'props')
    const list = Array.isArray(props?.content) ? props.content : []
    return {
      hash: props?.attrs.hash,
      delta: props?.attrs.delta_update,
      values: Object.fromEntries(list.map(({ attrs }) => [attrs.config_code ?? '', attrs.config_value])),
    }
  }

  test('come whole without a hash, and with one only what changed', async () => {
    const { linked } = await createPlainWorld()
    const client = await linked({ kind: 'migrated' })
    const all = await ask(client)
    expect(all.values).toEqual({
      ...{ '865': '604800', '909': '4', '996': '604800', '997': '4' },
      ...{ '9435': '1', '10518': '1', '14303': '0', '24941': '0' },
    })
    expect(await ask(client, all.hash)).toEqual({ hash: all.hash, delta: 'true', values: {} })
    client.phone.setProp(24941, '1')
    client.phone.setProp(14303, '1')
    const changed = await ask(client, all.hash)
    expect(changed).toMatchObject({ delta: 'true', values: { '24941': '1', '14303': '1' } })
    expect(changed.hash).not.toBe(all.hash)
    expect((await ask(client, 'unknown')).values).toMatchObject({ '24941': '1', '9435': '1' })
  })
})

test('an inbound LID is paired with its number', async () => {
  const { peer, linked } = await createPlainWorld()
  const client = await linked({ kind: 'migrated' })
  const customer = peer.recipient(CUSTOMER)
  const message = heard(client, 'CB:message')
  await customer.send('halo', OWNER)
  expect((await message).attrs).toMatchObject({ from: lid(customer.lid), sender_pn: pn(CUSTOMER) })
})
