import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { CUSTOMER, createPlainWorld, find, heard, lid, OWNER, ownLid, pn, sendRaw, sendText } from './world.ts'

const WEEK = 7 * 24 * 3_600_000
const SALT = Buffer.alloc(32, 9)

async function world() {
  const made = await createPlainWorld()
  const client = await made.linked({ kind: 'migrated', salt: SALT })
  const customer = made.peer.recipient(CUSTOMER)
  const to = lid(customer.lid)
  return { ...made, client, customer, to, last: () => made.peer.journal.messages.at(-1) }
}
const node = (tag: string, content: Buffer, attrs = {}) => ({ tag, attrs, content })

describe('a token', () => {
  test('comes by notification from somebody who writes, and lets messages through that were refused', async () => {
    const { client, customer, to, last } = await world()
    customer.demandsToken = true
    expect(await sendText(client, to, 'without')).toMatchObject({ error: '463' })
    const notification = heard(client, 'CB:notification,type:privacy_token')
    await customer.send('halo', OWNER)
    const { attrs } = await notification
    expect(attrs).toMatchObject({ from: pn(CUSTOMER), sender_lid: to })
    expect(find(await notification, 'tokens', 'token')?.attrs).toMatchObject({
      type: 'trusted_contact',
      jid: lid(client.phone.lid, 1),
    })
    // The library attaches it by itself.
    await expect.poll(async () => (await client.auth.keys.get('tctoken', [to]))[to]?.token.length).toBeGreaterThan(0)
    expect(await sendText(client, to, 'with')).not.toHaveProperty('error')
    expect(last()).toMatchObject({ token: 'tctoken', delivered: true })
  })

  test('is issued once a week, unless asked for again', async () => {
    const { client, customer, pass } = await world()
    let notified = 0
    client.socket.ws.on('CB:notification,type:privacy_token', () => (notified += 1))
    const write = async () => {
      const heardIt = heard(client, 'CB:message')
      await customer.send('halo', OWNER)
      await heardIt
    }
    await write()
    await write()
    expect(notified).toBe(1)
    pass(WEEK)
    await write()
    expect(notified).toBe(2)
    const again = heard(client, 'CB:notification,type:privacy_token')
    customer.issueToken(OWNER, { again: true })
    await again
  })

  test('is worth nothing after its fourth week, or from somebody else', async () => {
    const { peer, client, customer, to, pass, last } = await world()
    customer.issueToken(OWNER)
    const other = peer.recipient('6289999999999')
    other.issueToken(OWNER)
    await expect.poll(async () => (await client.auth.keys.get('tctoken', [to]))[to]?.token.length).toBeGreaterThan(0)
    await expect
      .poll(async () => (await client.auth.keys.get('tctoken', [lid(other.lid)]))[lid(other.lid)]?.token.length)
      .toBeGreaterThan(0)
    customer.demandsToken = true
    const { [lid(other.lid)]: theirs } = await client.auth.keys.get('tctoken', [lid(other.lid)])
    const raw = { to, participants: [to] }
    expect(await sendRaw(client, { ...raw, nodes: [node('tctoken', theirs?.token ?? Buffer.alloc(1))] })).toMatchObject(
      {
        error: '463',
      },
    )
    expect(await sendText(client, to, 'in time')).not.toHaveProperty('error')
    await expect.poll(() => client.phone.pending.unconfirmed).toBe(0)
    pass(4 * WEEK)
    expect(await sendText(client, to, 'too late')).toMatchObject({ error: '463' })
    expect(last()?.token).toBeUndefined()
  })

  test('must be bare bytes, and alone', async () => {
    const { client, customer, to } = await world()
    customer.issueToken(OWNER)
    await heard(client, 'CB:notification,type:privacy_token')
    const { [to]: entry } = await client.auth.keys.get('tctoken', [to])
    const token = entry?.token ?? Buffer.alloc(1)
    const cstoken = createHmac('sha256', SALT).update(to).digest()
    for (const nodes of [
      [node('tctoken', Buffer.from(token), { t: '1' })],
      [node('tctoken', Buffer.from(token)), node('cstoken', cstoken)],
    ]) {
      expect(await sendRaw(client, { to, participants: [to], nodes })).toMatchObject({ error: '479' })
    }
  })
})

test('a message between the own devices must not have one', async () => {
  const { client } = await world()
  const to = ownLid(client)
  const raw = { to, participants: [to], attrs: { category: 'peer' } }
  expect(await sendRaw(client, raw)).not.toHaveProperty('error')
  expect(await sendRaw(client, { ...raw, nodes: [node('tctoken', Buffer.alloc(8))] })).toMatchObject({ error: '479' })
})

describe('a cstoken', () => {
  test('is an HMAC of the LID with the account’s salt; any other is refused', async () => {
    const { client, customer, to, last } = await world()
    const right = createHmac('sha256', SALT).update(to).digest()
    const send = (bytes: Buffer) => sendRaw(client, { to, participants: [to], nodes: [node('cstoken', bytes)] })
    expect(await send(right)).not.toHaveProperty('error')
    expect(last()).toMatchObject({ token: 'cstoken', delivered: true })
    expect(await send(createHmac('sha256', SALT).update(pn(CUSTOMER)).digest())).toMatchObject({ error: '479' })
    customer.demandsToken = true
    expect(await send(right)).toMatchObject({ error: '463' })
  })

  test('is refused from an account without a salt', async () => {
    const { linked, peer } = await createPlainWorld()
    const client = await linked({ kind: 'migrated' })
    const to = lid(peer.recipient(CUSTOMER).lid)
    expect(await sendRaw(client, { to, participants: [to], nodes: [node('cstoken', Buffer.alloc(32))] })).toMatchObject(
      { error: '479' },
    )
  })
})

describe('the account’s own token', () => {
  test('is issued after a message, by LID or by number', async () => {
    const { client, to, peer, linked } = await world()
    await sendText(client, to, 'halo')
    await expect.poll(() => client.phone.issuedTokens).toMatchObject([{ to: CUSTOMER, address: expect.any(String) }])
    const other = await linked({ kind: 'unmigrated' }, '6281111111112')
    await sendText(other, pn(CUSTOMER), 'halo')
    await expect.poll(() => other.phone.issuedTokens).toMatchObject([{ to: CUSTOMER, address: pn(CUSTOMER) }])
    expect(peer.journal.queries.get('privacy tokens')).toBe(2)
  })

  test('is refused for oneself, for the future, and of another type', async () => {
    const { client, to } = await world()
    const issue = (attrs: Record<string, string>) =>
      client.socket.query({
        tag: 'iq',
        attrs: { to: 's.whatsapp.net', type: 'set', xmlns: 'privacy' },
        content: [{ tag: 'tokens', attrs: {}, content: [{ tag: 'token', attrs }] }],
      })
    const now = Math.floor(Date.now() / 1000)
    const right = { jid: to, t: String(now), type: 'trusted_contact' }
    await issue(right)
    for (const wrong of [
      { jid: ownLid(client) },
      { t: String(now + 3600) },
      { t: '0' },
      { type: 'other' },
      { jid: lid('1') },
    ]) {
      await expect(issue({ ...right, ...wrong }), JSON.stringify(wrong)).rejects.toThrow('bad-request')
    }
  })
})
