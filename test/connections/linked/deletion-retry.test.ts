import type { BinaryNode } from 'baileys'
import { expect, test } from 'vitest'
import { deletionOf } from '../../../server/connections/linked/content.ts'
import { createDeletionRetry } from '../../../server/connections/linked/deletion-retry.ts'
import { createLogger } from '../../../server/lib/logger.ts'

const CHAT = '6281234567890@s.whatsapp.net'
const { id, content } = deletionOf('3EB0632EEB6059DD756198')

/** A device that asks, as the receipt says. */
const asking = (attrs: Record<string, string> = {}): BinaryNode => ({
  tag: 'receipt',
  attrs: { id, from: '6281234567890:1@s.whatsapp.net', type: 'retry', ...attrs },
  content: [{ tag: 'retry', attrs: { count: '2' } }],
})

function createAnswers({ fails = false } = {}) {
  const calls: unknown[][] = []
  const note =
    (what: string) =>
    async (...given: unknown[]) => {
      calls.push([what, ...given.slice(0, 3)])
      if (fails && what === 'keys') throw new Error('no line')
      return true as never
    }
  const sock = { assertSessions: note('keys'), relayMessage: note('message'), sendMessageAck: note('ack') }
  const contentOf = async (asked: string, chat: string) =>
    asked === id && chat === CHAT ? content : { conversation: 'Halo' }
  const answer = createDeletionRetry({ sock, contentOf, logger: createLogger('silent') })
  return { answer, calls, counted: (what: string) => calls.filter(([each]) => each === what).length }
}

test('the device that asks gets the deletion alone, with new keys, and its receipt is confirmed', async () => {
  const { answer, calls } = createAnswers()
  const node = asking()
  expect(await answer(node)).toBe(true)
  const participant = { jid: '6281234567890:1@s.whatsapp.net', count: 2 }
  expect(calls).toEqual([
    ['keys', [participant.jid], true],
    ['message', CHAT, content, { messageId: id, participant, additionalAttributes: { edit: '7' } }],
    ['ack', node],
  ])
})

test('another device of this account names the chat', async () => {
  const { answer, calls } = createAnswers()
  await answer(asking({ from: '6281100000001@s.whatsapp.net', recipient: CHAT }))
  expect(calls[1]?.slice(0, 2)).toEqual(['message', CHAT])
  expect(calls[1]?.[3]).toMatchObject({ participant: { jid: '6281100000001@s.whatsapp.net' } })
})

test('each device is answered five times; what is not answered is confirmed all the same', async () => {
  const { answer, counted } = createAnswers()
  for (let time = 0; time < 7; time += 1) expect(await answer(asking())).toBe(true)
  expect([counted('message'), counted('ack')]).toEqual([5, 7])
  await answer(asking({ from: '6281234567890:2@s.whatsapp.net' }))
  expect(counted('message')).toBe(6)
})

test('what fails is confirmed: the device asks again', async () => {
  const { answer, counted } = createAnswers({ fails: true })
  expect(await answer(asking())).toBe(true)
  expect([counted('message'), counted('ack')]).toEqual([0, 1])
})

test('other messages and other receipts are left to the library', async () => {
  const { answer, calls } = createAnswers()
  expect(await answer(asking({ id: '3EB0' }))).toBe(false)
  expect(await answer(asking({ type: 'read' }))).toBe(false)
  expect(calls).toEqual([])
})
