import { expect, onTestFinished, test } from 'vitest'
import { holdSenders, type SenderRunner } from '../../server/cluster/senders.ts'
import { createLogger } from '../../server/lib/logger.ts'
import { createTestClock } from '../support/clock.ts'

const RENEWED = 3_000
const LOOKED = 1_000

/** One node of which the test says what it holds, and how long its connections take to begin and to end. */
function oneNode() {
  const clock = createTestClock()
  const held = new Set<number>()
  const lease = { epoch: 1 }
  const done: string[] = []
  const pauses = { begin: Promise.resolve(), end: Promise.resolve() }
  const database = { isAway: false, surplus: 0 }
  const nodes = {
    async renew() {
      if (database.isAway) throw new Error('the database does not answer')
      return [...held]
    },
    epochOf: (senderId: number) => (held.has(senderId) ? lease.epoch : null),
    surplus: async () => database.surplus,
    async release(senderId: number) {
      held.delete(senderId)
      database.surplus -= 1
      done.push(`release ${senderId}`)
    },
  }
  const runner: SenderRunner = {
    async begin(senderId) {
      done.push(`begin ${senderId}`)
      await pauses.begin
      done.push(`began ${senderId}`)
      return true
    },
    async end(senderId, why) {
      done.push(why === 'lost' ? `end ${senderId}` : `finish ${senderId}`)
      await pauses.end
      done.push(`ended ${senderId}`)
    },
    wake: (senderId) => done.push(`wake ${senderId}`),
    mayMove: () => true,
  }
  const facts = () => ({ url: null, version: 'test', startedAt: 0 })
  const senders = holdSenders(nodes, facts, runner, clock, createLogger('silent'))
  onTestFinished(senders.stop)
  return { clock, held, lease, done, pauses, database, senders }
}

test('a sender that is lost and won again while its connection still closes begins when that is over', async () => {
  const { clock, held, done, pauses, senders } = oneNode()
  held.add(1)
  await senders.look()
  const closed = Promise.withResolvers<void>()
  pauses.end = closed.promise
  held.delete(1)
  await clock.advance(LOOKED)
  held.add(1)
  await clock.advance(RENEWED)
  expect(done).toEqual(['begin 1', 'began 1', 'end 1'])
  closed.resolve()
  await clock.advance(RENEWED)
  expect(done.slice(3)).toEqual(['ended 1', 'begin 1', 'began 1'])
  await clock.advance(RENEWED)
  expect(done.at(-1)).toBe('wake 1')
})

test('one that others had in between begins again, also where nobody looked meanwhile', async () => {
  const { clock, held, lease, done, senders } = oneNode()
  held.add(1)
  await senders.look()
  lease.epoch = 3
  await clock.advance(LOOKED)
  expect(done).toEqual(['begin 1', 'began 1', 'end 1', 'ended 1'])
  await clock.advance(RENEWED)
  expect(done.slice(4)).toEqual(['begin 1', 'began 1'])
})

test('one that begins or closes slowly holds up nothing of the others, nor the leases', async () => {
  const { clock, held, done, pauses } = oneNode()
  const slow = Promise.withResolvers<void>()
  pauses.begin = slow.promise
  held.add(1)
  await clock.advance(RENEWED)
  pauses.begin = Promise.resolve()
  held.add(2)
  await clock.advance(RENEWED)
  expect(done).toEqual(['begin 1', 'begin 2', 'began 2'])
  slow.resolve()
  await clock.advance(0)
  const closed = Promise.withResolvers<void>()
  pauses.end = closed.promise
  held.delete(1)
  await clock.advance(RENEWED)
  expect(done.slice(3)).toEqual(['began 1', 'end 1', 'wake 2'])
  closed.resolve()
})

test('without a database a connection ends when its lease does', async () => {
  const { clock, held, done, database, senders } = oneNode()
  held.add(1)
  await senders.look()
  database.isAway = true
  held.clear()
  await clock.advance(LOOKED)
  expect(done.slice(2)).toEqual(['end 1', 'ended 1'])
  database.isAway = false
  held.add(1)
  await clock.advance(RENEWED)
  expect(done.slice(4)).toEqual(['begin 1', 'began 1'])
})

test('one that is lost while it begins ends with the next look', async () => {
  const { clock, held, done, pauses, senders } = oneNode()
  const read = Promise.withResolvers<void>()
  pauses.begin = read.promise
  held.add(1)
  const looked = senders.look()
  await clock.advance(0)
  held.delete(1)
  read.resolve()
  await looked
  await clock.advance(LOOKED)
  expect(done).toEqual(['begin 1', 'began 1', 'end 1', 'ended 1'])
})

test('what other nodes have room for is given back one at a time, closed before it is free', async () => {
  const { clock, held, done, database, senders } = oneNode()
  for (const id of [1, 2, 3]) held.add(id)
  await senders.look()
  database.surplus = 2
  done.length = 0
  await clock.advance(RENEWED)
  expect(done).toEqual(['wake 1', 'wake 2', 'wake 3', 'finish 3', 'ended 3', 'release 3'])
  await clock.advance(RENEWED)
  expect(done.slice(6)).toEqual(['wake 1', 'wake 2', 'finish 2', 'ended 2', 'release 2'])
  await clock.advance(RENEWED)
  expect(done.slice(11)).toEqual(['wake 1'])
})
