import type { BinaryNode, WASocket } from 'baileys'
import { expect, test, vi } from 'vitest'
import type { Groups } from '../../../server/connections/linked/groups/groups.ts'
import { deletionOf } from '../../../server/connections/linked/sending/content.ts'
import { createRetries } from '../../../server/connections/linked/sending/retries.ts'
import { createLogger } from '../../../server/lib/logger.ts'

const CHAT = '6281234567890@s.whatsapp.net'
const { id, content } = deletionOf('3EB0632EEB6059DD756198')

/** A device that asks, as the receipt says. */
const asking = (attrs: Record<string, string> = {}): BinaryNode => ({
  tag: 'receipt',
  attrs: { id, from: '6281234567890:1@s.whatsapp.net', type: 'retry', ...attrs },
  content: [{ tag: 'retry', attrs: { count: '2', t: '1790000000' } }],
})

const PN = { jid: CHAT, ownJid: '6281100000001@s.whatsapp.net' }
const LID = { jid: '343495218776416@lid', ownJid: '250002877250661@lid' }

function createAnswers({ fails = false, address = PN } = {}) {
  const calls: [string, unknown][] = []
  const note =
    (what: string) =>
    async (given: unknown): Promise<never> => {
      calls.push([what, given])
      if (fails && what === 'keys') throw new Error('no line')
      return { type: 'msg', ciphertext: Buffer.from('sealed') } as never
    }
  const sock = {
    assertSessions: note('keys'),
    sendNode: note('message'),
    sendMessageAck: note('ack'),
    authState: { creds: {} },
    signalRepository: { injectE2ESession: note('bundle'), encryptMessage: note('sealed') },
  } as unknown as WASocket
  const contentOf = async (asked: string, chat: string) =>
    asked !== id ? undefined : chat === address.jid ? content : { conversation: 'in another chat' }
  const addressOf = async (chat: string) => {
    calls.push(['look-up', chat])
    return address
  }
  const groups = { get: vi.fn(), drop: vi.fn() }
  const answer = createRetries(sock, {
    ...{ contentOf, addressOf, logger: createLogger('silent') },
    groups: groups as unknown as Groups,
  })
  const given = (what: string) => calls.filter(([each]) => each === what).map(([, each]) => each)
  return { answer, groups, given }
}

test('the device that asks gets one copy alone, with new keys, and its receipt is confirmed', async () => {
  const { answer, given } = createAnswers()
  const node = asking()
  expect(await answer(node)).toBe(true)
  const to = '6281234567890:1@s.whatsapp.net'
  expect(given('keys')).toEqual([[to]])
  const enc = { tag: 'enc', attrs: { v: '2', type: 'msg', count: '2' }, content: Buffer.from('sealed') }
  const attrs = { id, to, type: 'text', t: '1790000000', device_fanout: 'false', edit: '7' }
  expect(given('message')).toEqual([{ tag: 'message', attrs, content: [enc] }])
  expect(given('ack')).toEqual([node])
})

test('another device of this account names the chat; both are written in the form of the account', async () => {
  const { answer, given } = createAnswers({ address: LID })
  await answer(asking({ from: '6281100000001@s.whatsapp.net', recipient: CHAT }))
  expect(given('message')).toMatchObject([{ attrs: { to: LID.ownJid, recipient: LID.jid } }])
})

test('each device is answered five times; what is not answered is confirmed all the same', async () => {
  const { answer, given } = createAnswers()
  for (let time = 0; time < 7; time += 1) expect(await answer(asking())).toBe(true)
  expect([given('message').length, given('ack').length]).toEqual([5, 7])
  await answer(asking({ from: '6281234567890:2@s.whatsapp.net' }))
  expect(given('message')).toHaveLength(6)
})

test('what fails is confirmed: the device asks again', async () => {
  const { answer, given } = createAnswers({ fails: true })
  expect(await answer(asking())).toBe(true)
  expect([given('message').length, given('ack').length]).toEqual([0, 1])
})

test('what this number never wrote is confirmed without an answer, and nobody is looked up for it', async () => {
  const { answer, given } = createAnswers()
  expect(await answer(asking({ id: '3EB0' }))).toBe(true)
  expect([given('message').length, given('ack').length, given('look-up').length]).toEqual([0, 1, 0])
})

test('nor is the group of such a message asked for', async () => {
  const { answer, groups, given } = createAnswers()
  const stranger = asking({ id: '3EB0', from: '120363000000000001@g.us', participant: CHAT })
  expect(await answer(stranger)).toBe(true)
  expect([given('message').length, given('ack').length]).toEqual([0, 1])
  expect(groups.get).not.toHaveBeenCalled()
})

test('a member who asks in another form than that of the group has WhatsApp asked for it five times', async () => {
  const { answer, groups } = createAnswers()
  groups.get.mockResolvedValue({ form: 'lid', members: [] })
  for (let time = 0; time < 7; time += 1) await answer(asking({ from: '120363000000000001@g.us', participant: CHAT }))
  expect(groups.drop).toHaveBeenCalledTimes(5)
})

test('other receipts are left to the library', async () => {
  const { answer, given } = createAnswers()
  expect(await answer(asking({ type: 'read' }))).toBe(false)
  expect([given('message').length, given('ack').length]).toEqual([0, 0])
})
