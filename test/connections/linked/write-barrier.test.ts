import { expect, test } from 'vitest'
import { createWriteBarrier } from '../../../server/connections/linked/library/write-barrier.ts'
import { StorageError } from '../../../server/lib/storage-error.ts'
import type { Outcome } from '../../../server/messages/channel.ts'
import type { SessionStore } from '../../../server/store/index.ts'
import { createWorld, RECIPIENT } from './world.ts'

/** What went through a barrier, in its order. */
function observed() {
  const seen: string[] = []
  const barrier = createWriteBarrier(() => seen.push('the end'))
  const pass = (name: string) =>
    barrier.after(
      () => seen.push(name),
      () => seen.push(`lost ${name}`),
    )
  return { seen, barrier, pass }
}

test('what comes after a write waits for it, and for nothing that was begun later', async () => {
  const { seen, barrier, pass } = observed()
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  pass('a')
  barrier.hold(first.promise)
  pass('b')
  barrier.hold(second.promise)
  pass('c')
  second.resolve()
  await second.promise
  expect(seen).toEqual(['a'])
  first.resolve()
  await first.promise
  expect(seen).toEqual(['a', 'b', 'c'])
  expect(barrier.isHolding()).toBe(false)
})

test('where a write fails, nothing that came after it goes on, not even what waits for another', async () => {
  const { seen, barrier, pass } = observed()
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  barrier.hold(first.promise)
  pass('a')
  barrier.hold(second.promise)
  pass('b')
  first.reject(new Error('disk full'))
  await first.promise.catch(() => undefined)
  second.resolve()
  await second.promise
  pass('c')
  expect(seen).toEqual(['lost a', 'lost b', 'the end', 'lost c'])
})

/** A linked number that has written to the recipient before; `disk` decides what becomes of the steps of its sessions. */
async function onDisk() {
  const world = await createWorld()
  const { sessions } = world.store
  const disk: { write: SessionStore['setKeys']; steps: number } = { write: sessions.setKeys, steps: 0 }
  const run = world.open({
    sessions: {
      ...sessions,
      setKeys(...args) {
        if (args[1].some(({ type }) => type === 'session')) disk.steps += 1
        return disk.write(...args)
      },
    },
  })
  await run.link()
  const recipient = world.peer.recipient(RECIPIENT)
  expect(await run.send(await world.message('satu'))).toEqual({ kind: 'acknowledged' })
  await recipient.next()
  disk.steps = 0
  const texts = ['dua', 'tiga', 'empat']
  const messages = await Promise.all(texts.map((text) => world.message(text)))
  /** Resolves when all are written as far as the library knows. */
  async function sendAll(): Promise<Promise<Outcome>[]> {
    const outcomes: Promise<Outcome>[] = []
    for (const message of messages) outcomes.push((await run.linked.channel.send(message, null)).outcome)
    return outcomes
  }
  return { ...world, run, recipient, disk, sessions, texts, messages, sendAll }
}

test('messages are prepared while steps before them are being written, share a write, and leave in their order', async () => {
  const { recipient, disk, sessions, texts, sendAll } = await onDisk()
  const slow = Promise.withResolvers<void>()
  disk.write = async (...args) => {
    await slow.promise
    return sessions.setKeys(...args)
  }
  const outcomes = await sendAll()
  slow.resolve()
  expect(await Promise.all(outcomes)).toEqual(texts.map(() => ({ kind: 'acknowledged' })))
  expect((await recipient.messages()).map(({ text }) => text)).toEqual(['satu', ...texts])
  expect(disk.steps).toBeLessThan(texts.length)
})

test('messages whose steps could not be stored have not left, and their attempts do not count', async () => {
  const { run, peer, recipient, disk, sessions, texts, messages, sendAll } = await onDisk()
  const slow = Promise.withResolvers<void>()
  disk.write = async () => {
    await slow.promise
    throw new StorageError('not_holder', 'db.example')
  }
  const outcomes = await sendAll()
  slow.resolve()
  expect(await Promise.all(outcomes)).toEqual(texts.map(() => ({ kind: 'offline' })))
  disk.write = sessions.setKeys
  await run.state('offline')
  await run.state('connected')
  for (const message of messages) expect(await run.send(message)).toEqual({ kind: 'acknowledged' })
  expect((await recipient.messages()).map(({ text }) => text)).toEqual(['satu', ...texts])
  expect(peer.journal.messages).toHaveLength(1 + texts.length)
})

test('messages that are held when the line is cut have not left', async () => {
  const { run, peer, disk, sessions, texts, messages, sendAll } = await onDisk()
  const slow = Promise.withResolvers<void>()
  disk.write = async (...args) => {
    await slow.promise
    return sessions.setKeys(...args)
  }
  const outcomes = await sendAll()
  await peer.stop()
  expect(await Promise.all(outcomes)).toEqual(texts.map(() => ({ kind: 'offline' })))
  slow.resolve()
  await peer.start()
  await run.state('connected')
  for (const message of messages) expect(await run.send(message)).toEqual({ kind: 'acknowledged' })
  expect(peer.journal.messages).toHaveLength(1 + texts.length)
})
