import { describe, expect, test } from 'vitest'
import { reachQuery, readReachAnswer, readReachNotification } from '../../../server/connections/linked/account/reach.ts'
import type { Client } from '../../support/plain-client.ts'
import { CUSTOMER, createPlainWorld, heard, OWNER, pn, sendText } from './world.ts'

const HOUR = 3_600_000
const stranger = (n: number) => pn(`62899${1_000_000 + n}`)
const seconds = (ms: number) => Math.floor(ms / 1000) * 1000

const askFor = async ({ socket }: Client) => ({
  lock: readReachAnswer('lock', await socket.query(reachQuery('lock')), Date.now()),
  cap: readReachAnswer('cap', await socket.query(reachQuery('cap')), Date.now()),
})
async function isRefused(client: Client, n: number): Promise<string | undefined> {
  const { error } = await sendText(client, stranger(n), 'halo')
  return error
}

describe('a lock', () => {
  test('comes with the third stranger, is announced, and ends by itself', async () => {
    const { linked, pass, now } = await createPlainWorld()
    const client = await linked()
    client.phone.lockAfter(3, HOUR)
    const announced = heard(client, 'CB:notification,type:mex')
    expect([await isRefused(client, 1), await isRefused(client, 2)]).toEqual([undefined, undefined])
    expect(await askFor(client)).toMatchObject({ lock: { active: false } })
    // The one that locks is still delivered.
    expect(await isRefused(client, 3)).toBeUndefined()
    const endsAt = seconds(now() + HOUR)
    expect(readReachNotification(await announced, now())).toEqual({ question: 'lock', lock: { active: true, endsAt } })
    expect(await isRefused(client, 4)).toBe('463')
    expect(await askFor(client)).toMatchObject({ lock: { active: true, endsAt } })
    pass(HOUR)
    expect(await askFor(client)).toMatchObject({ lock: { active: false } })
    expect(await isRefused(client, 5)).toBeUndefined()
  })

  test('lets those go on who trust the account, and nobody else', async () => {
    const { peer, linked } = await createPlainWorld()
    const client = await linked()
    const [trusting, silent] = [peer.recipient(CUSTOMER), '6282222222222']
    await sendText(client, pn(silent), 'before')
    const token = heard(client, 'CB:notification,type:privacy_token')
    await trusting.send('halo', OWNER)
    await token
    client.phone.lock({ ms: HOUR })
    expect(await sendText(client, pn(CUSTOMER), 'known')).not.toHaveProperty('error')
    expect(await sendText(client, pn(silent), 'known, but without a token')).toMatchObject({ error: '463' })
  })

  test('may be there before it is announced, and is taken back with a notification', async () => {
    const { linked, now } = await createPlainWorld()
    const client = await linked()
    client.phone.lock({ ms: HOUR, silently: true })
    expect(await isRefused(client, 1)).toBe('463')
    const announced = heard(client, 'CB:notification,type:mex')
    client.phone.unlock()
    expect(readReachNotification(await announced, now())).toMatchObject({ lock: { active: false } })
    expect(await isRefused(client, 2)).toBeUndefined()
  })

  test('counts strangers who were refused, too', async () => {
    const { peer, linked } = await createPlainWorld()
    const client = await linked()
    client.phone.lockAfter(2, HOUR)
    for (const number of [CUSTOMER, '6282222222222']) {
      peer.recipient(number).demandsToken = true
      expect(await sendText(client, pn(number), 'halo')).toMatchObject({ error: '463' })
    }
    expect(await isRefused(client, 3)).toBe('463')
    expect(await askFor(client)).toMatchObject({ lock: { active: true } })
  })

  test('is understood by the library, but for types that it does not know', async () => {
    const { linked } = await createPlainWorld()
    const client = await linked()
    client.phone.lock({ ms: HOUR, type: 'BIZ_QUALITY' })
    const { socket } = client
    expect(await socket.fetchAccountReachoutTimelock()).toMatchObject({
      isActive: true,
      enforcementType: 'BIZ_QUALITY',
    })
  })
})

describe('a cap on new chats', () => {
  test('warns twice, refuses with 475, and ends with its cycle', async () => {
    const { linked, pass, now } = await createPlainWorld()
    const client = await linked()
    const cycleEndsAt = now() + 24 * HOUR
    client.phone.cap({ total: 4, warnAt: [2, 3], cycleEndsAt })
    const warnings: (string | undefined)[] = []
    client.socket.ws.on('CB:notification,type:mex', (node) => {
      const read = readReachNotification(node, now())
      warnings.push(read?.question === 'cap' ? read.cap.warning : undefined)
    })
    for (const n of [1, 2, 3, 4]) expect(await isRefused(client, n)).toBeUndefined()
    expect(warnings).toEqual(['none', 'first', 'second', 'capped'])
    expect(await isRefused(client, 5)).toBe('475')
    expect((await askFor(client)).cap).toEqual({
      used: 4,
      total: 4,
      resetsAt: seconds(cycleEndsAt),
      warning: 'capped',
      holdsUntil: seconds(cycleEndsAt),
    })
    // A chat that is none of the new ones goes on.
    expect(await isRefused(client, 1)).toBeUndefined()
    await expect.poll(() => client.phone.pending.unconfirmed).toBe(0)
    pass(24 * HOUR)
    expect((await askFor(client)).cap).toMatchObject({
      used: 0,
      warning: 'none',
      resetsAt: seconds(cycleEndsAt + 24 * HOUR),
    })
    expect(await isRefused(client, 5)).toBeUndefined()
  })

  test('may be none at all', async () => {
    const { linked } = await createPlainWorld()
    const client = await linked()
    expect(await askFor(client)).toMatchObject({ cap: { total: null, warning: 'none' } })
    expect(await client.socket.fetchNewChatMessageCap()).toMatchObject({ total_quota: '-1', capping_status: 'NONE' })
  })
})

test('a chat with somebody who wrote first is none of the new ones', async () => {
  const { peer, linked } = await createPlainWorld()
  const client = await linked()
  client.phone.cap({ total: 0, warnAt: [0, 0], cycleEndsAt: Date.now() + HOUR })
  const message = heard(client, 'CB:message')
  await peer.recipient(CUSTOMER).send('halo', OWNER)
  await message
  client.phone.knows('6283333333333')
  expect(await sendText(client, pn(CUSTOMER), 'balas')).not.toHaveProperty('error')
  expect(await sendText(client, pn('6283333333333'), 'seperti biasa')).not.toHaveProperty('error')
  expect(await isRefused(client, 1)).toBe('475')
  expect(peer.journal.messages.map(({ newChat }) => newChat)).toEqual([false, false, true])
})

test('a query that the server does not know any more, or that asks for something else, is answered with errors', async () => {
  const { peer, linked } = await createPlainWorld()
  const client = await linked()
  peer.faults.dropStoredQuery('27910975521856601')
  expect(await askFor(client)).toMatchObject({ lock: { active: false }, cap: undefined })
  peer.faults.dropStoredQuery('23983697327930364')
  await expect(client.socket.fetchAccountReachoutTimelock()).rejects.toThrow('unknown query')
  const [query] = reachQuery('cap').content as [ReturnType<typeof reachQuery>]
  const wrong = { ...query, attrs: { query_id: '24503548349331633' } }
  const answer = await client.socket.query({ ...reachQuery('cap'), content: [wrong] })
  expect(readReachAnswer('cap', answer, Date.now())).toBeUndefined()
})
