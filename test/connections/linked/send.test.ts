import { DEFAULT_CONNECTION_CONFIG } from 'baileys'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from '../../../server/lib/clock.ts'
import { StorageError } from '../../../server/lib/storage-error.ts'
import { createTestClock } from '../../support/clock.ts'
import { eventually } from '../../support/eventually.ts'
import type { LookUpFault } from '../../support/whatsapp-peer/faults.ts'
import { createWorld, RECIPIENT } from './world.ts'

async function linked(timeouts = {}) {
  const world = await createWorld()
  const run = world.open({ timeouts })
  const phone = await run.link()
  const recipient = world.peer.recipient(RECIPIENT)
  return { ...world, run, phone, recipient }
}

/** The same, on a clock that the test moves. */
async function onClock() {
  const world = await createWorld()
  const clock = createTestClock()
  const run = world.open({ clock })
  await run.link()
  const recipient = world.peer.recipient(RECIPIENT)
  return { ...world, run, clock, recipient }
}

describe('a text', () => {
  test.each([
    ['emoji', 'Pesanan siap 🎉👩‍👩‍👧‍👦🇮🇩'],
    ['Arabic', 'تم تأكيد طلبك رقم ١٢٣'],
    ['lines and spaces', '  satu\n\n\tdua  \r\n'],
    ['a link', 'https://example.com/faktur?id=1&x=%20'],
    ['65,536 characters', '€'.repeat(65_536)],
  ])('of %s arrives as it was written', async (_, text) => {
    const { run, message, recipient } = await linked()
    const sent = await message(text)
    expect(await run.send(sent)).toEqual({ kind: 'acknowledged' })
    expect(await recipient.next()).toMatchObject({ id: sent.providerMessageId, text })
  })

  test('is in flight together with others, written in order', async () => {
    const { run, message, peer, recipient } = await linked()
    peer.faults.acknowledge('late')
    const messages = await Promise.all(Array.from({ length: 16 }, (_, i) => message(`nomor ${i}`)))
    await run.linked.channel.check(messages[0] as never)
    const flights = []
    for (const one of messages) flights.push(await run.linked.channel.send(one, null))
    await peer.journal.arrived(16)
    peer.faults.release()
    const outcomes = await Promise.all(flights.map(({ outcome }) => outcome))
    expect(outcomes).toEqual(messages.map(() => ({ kind: 'acknowledged' })))
    expect((await recipient.messages()).map(({ text }) => text)).toEqual(messages.map(({ body }) => body))
  })
})

test('a frame has no timer of its own', async () => {
  const { run, message } = await linked({ ack: 1_000, query: 2_000 })
  expect(await run.send(await message('satu'))).toEqual({ kind: 'acknowledged' })
  const timers = vi.spyOn(globalThis, 'setTimeout')
  onTestFinished(() => timers.mockRestore())
  expect(await run.send(await message('dua'))).toEqual({ kind: 'acknowledged' })
  const delays = timers.mock.calls.map(([, ms]) => ms)
  expect(delays).toContain(1_000)
  expect(delays).not.toContain(DEFAULT_CONNECTION_CONFIG.connectTimeoutMs)
})

test('a text of which one copy could not be sealed does not leave without it', async () => {
  const world = await createWorld()
  const refusals = { left: 0 }
  const { sessions } = world.store
  const run = world.open({
    sessions: {
      ...sessions,
      // One of the two sessions makes no step: the recipient's or that with the owner's phone.
      setKeys: async (senderId, changes) => {
        if (refusals.left > 0 && changes.some(({ type }) => type === 'session')) {
          refusals.left -= 1
          throw new StorageError('full', 'sessions.db')
        }
        return sessions.setKeys(senderId, changes)
      },
    },
  })
  await run.link()
  const recipient = world.peer.recipient(RECIPIENT)
  expect(await run.send(await world.message('satu'))).toEqual({ kind: 'acknowledged' })
  refusals.left = 1
  const second = await world.message('dua')
  expect(await run.send(second)).toEqual({ kind: 'offline' })
  await run.state('offline')
  await run.state('connected')
  expect(await run.send(second)).toEqual({ kind: 'acknowledged' })
  expect((await recipient.messages()).map(({ text }) => text)).toEqual(['satu', 'dua'])
  expect(world.peer.journal.messages).toHaveLength(2)
})

test('a text for which something could not be read has not left, and its attempt does not count', async () => {
  const world = await createWorld()
  const refusals = { left: 0 }
  const { sessions } = world.store
  const run = world.open({
    sessions: {
      ...sessions,
      getKey: async (senderId, type, id) => {
        if (refusals.left > 0 && type === 'tctoken') {
          refusals.left -= 1
          throw new StorageError('no_server', 'db.example')
        }
        return sessions.getKey(senderId, type, id)
      },
    },
  })
  await run.link()
  expect(await run.send(await world.message('satu'))).toEqual({ kind: 'acknowledged' })
  refusals.left = 1
  const second = await world.message('dua', { to: '6281234567899' })
  expect(await run.send(second)).toEqual({ kind: 'offline' })
  expect(await run.send(second)).toEqual({ kind: 'acknowledged' })
  expect(world.peer.journal.messages).toHaveLength(2)
})

describe('an acknowledgement', () => {
  test('that never comes leaves the outcome unknown; the next attempt has the same id and content', async () => {
    const { run, message, peer, recipient } = await linked({ ack: 1_000 })
    peer.faults.acknowledge('never', { next: 1 })
    const sent = await message('sekali')
    expect(await run.send(sent)).toMatchObject({ kind: 'unknown' })
    // Nothing else was received, so it connects again.
    expect(await run.state('offline')).toMatchObject({ reason: 'no_answer' })
    await run.state('connected')
    expect(await run.send(sent)).toEqual({ kind: 'acknowledged' })
    const [first, second] = await recipient.messages()
    expect(second?.id).toBe(first?.id)
    expect(second?.content).toEqual(first?.content)
    expect(new Set(peer.journal.messages.map(({ link }) => link)).size).toBe(2)
  })

  test('that comes too late is reported all the same, and a lively connection stays', async () => {
    const world = await createWorld()
    const clock = createTestClock()
    const run = world.open({ clock })
    await run.link()
    world.peer.faults.acknowledge('late', { next: 1 })
    const late = await world.message('lambat')
    const outcome = run.send(late)
    await world.peer.journal.arrived(1)
    await clock.advance(15_000)
    expect(await run.send(await world.message('cepat'))).toEqual({ kind: 'acknowledged' })
    await clock.advance(5_000)
    expect(await outcome).toMatchObject({ kind: 'unknown' })
    world.peer.faults.release()
    await run.reported(late.providerMessageId, 'sent')
    expect(run.view()?.state).toBe('connected')
  })

  test('with 463 means that the account is restricted, but not in the first minutes of a link', async () => {
    let later = 0
    const { open, message, peer } = await createWorld()
    const run = open({ clock: { ...systemClock, now: () => Date.now() + later } })
    await run.link()
    peer.faults.acknowledge({ error: '463' }, { next: 2 })
    const first = await message('halo')
    expect(await run.linked.channel.isFirstContact(first)).toBe(true)
    const held = await run.send(first)
    expect(held).toMatchObject({ kind: 'held', reason: '463' })
    if (held.kind !== 'held' || held.until === null) throw new Error('it is held until a time')
    later = held.until - Date.now()
    expect(await run.send(first)).toEqual({ kind: 'refused', code: 'account_restricted', providerCode: '463' })
    expect(await run.linked.channel.isFirstContact(first)).toBe(true)
  })

  test.each([
    ['479', { kind: 'refused', code: 'refused_by_whatsapp', providerCode: '479' }],
    ['503', { kind: 'not_sent', reason: 'WhatsApp answered with 503' }],
  ])('with %s', async (error, outcome) => {
    const { run, message, peer } = await linked()
    peer.faults.acknowledge({ error })
    expect(await run.send(await message('halo'))).toEqual(outcome)
  })

  test.each(['cut before', 'lost'] as const)('that a lost connection swallows (%s) leaves it unknown', async (how) => {
    const { run, message, peer } = await linked()
    peer.faults.acknowledge(how, { next: 1 })
    const sent = await message('halo')
    expect(await run.send(sent)).toMatchObject({ kind: 'unknown' })
    await run.state('connected')
    expect(await run.send(sent)).toEqual({ kind: 'acknowledged' })
  })

  test('that comes just before the connection drops counts', async () => {
    const { run, message, peer } = await linked()
    peer.faults.acknowledge('cut after', { next: 1 })
    expect(await run.send(await message('halo'))).toEqual({ kind: 'acknowledged' })
  })

  test('from a frozen link never comes; a new connection is made', async () => {
    const { run, message, peer } = await linked({ ack: 1_000 })
    await run.send(await message('pertama'))
    peer.faults.freeze()
    expect(await run.send(await message('beku'))).toMatchObject({ kind: 'unknown' })
    await run.state('offline')
    peer.faults.thaw()
    await run.state('connected')
  })

  test('makes a contact known', async () => {
    const { run, message, written } = await linked()
    const sent = await message('halo')
    expect(await run.linked.channel.isFirstContact(sent)).toBe(true)
    await run.send(sent)
    await written()
    expect(await run.linked.channel.isFirstContact(sent)).toBe(false)
  })
})

describe('before a message is written', () => {
  test('a number that is not on WhatsApp is refused, and not asked for again', async () => {
    const { run, message, peer } = await linked()
    peer.unknownNumber('6280000000000')
    const sent = await message('halo', { to: '6280000000000' })
    expect(await run.send(sent)).toEqual({ kind: 'refused', code: 'recipient_not_on_whatsapp' })
    const asked = peer.journal.queries.get('usync usync')
    expect(await run.send(sent)).toMatchObject({ kind: 'refused' })
    expect(peer.journal.queries.get('usync usync')).toBe(asked)
    expect(peer.journal.messages).toEqual([])
  })

  test('that it is not is not believed from a clock that was ahead', async () => {
    const { run, message, store } = await linked()
    await store.contacts.change(1, RECIPIENT, { jid: null, checkedAt: Date.now() + 365 * 86_400_000 })
    expect(await run.send(await message('halo'))).toEqual({ kind: 'acknowledged' })
  })

  test('a look-up that is never answered says nothing about the number', async () => {
    const { run, message, peer } = await linked({ query: 1_000 })
    peer.faults.neverAnswer('usync usync')
    const sent = await message('halo')
    expect(await run.send(sent)).toMatchObject({ kind: 'not_sent' })
    peer.faults.answerAgain()
    expect(await run.send(sent)).toEqual({ kind: 'acknowledged' })
  })

  test('a look-up in which WhatsApp ends the connection costs no attempt', async () => {
    const { run, message, peer, phone } = await linked({ query: 1_000 })
    peer.faults.neverAnswer('usync usync')
    const sent = await message('halo')
    const before = peer.journal.lookUps.length
    const checked = run.linked.channel.check(sent)
    await eventually(() => peer.journal.lookUps.length > before)
    phone.disconnect(500)
    expect(await checked).toEqual({ kind: 'offline' })
  })

  test.each<[string, LookUpFault, number]>([
    ['for all, with a time', { error: 429, of: 'contact', at: 'result', seconds: 90 }, 90_000],
    ['for all, without a time', { error: 429, of: 'lid', at: 'result' }, 60_000],
    ['for one user', { error: 500, of: 'contact', at: 'user', seconds: 30 }, 30_000],
    ['for the LID of one user', { error: 406, of: 'lid', at: 'user', seconds: 1_000_000 }, 3_600_000],
  ])(
    'an error %s in a look-up says nothing about the number, and nobody is asked for until it is over',
    async (...given) => {
      const [, fault, waitMs] = given
      const { run, message, peer, store, clock } = await onClock()
      peer.faults.lookUps = fault
      const sent = await message('halo')
      const until = clock.now() + waitMs
      expect(await run.linked.channel.check(sent)).toEqual({ kind: 'wait', until })
      const asked = peer.journal.queries.get('usync usync')
      expect(await run.linked.channel.check(await message('halo', { to: '6281234567899' }))).toEqual({
        kind: 'wait',
        until,
      })
      expect(peer.journal.queries.get('usync usync')).toBe(asked)
      expect(await store.contacts.get(1, RECIPIENT)).toBeUndefined()
      peer.faults.lookUps = undefined
      await clock.advance(waitMs)
      expect(await run.send(sent)).toEqual({ kind: 'acknowledged' })
    },
  )

  test.each(['result', 'user'] as const)('an error in the list of devices costs no attempt (%s)', async (at) => {
    const { run, message, peer, clock } = await onClock()
    const sent = await message('halo')
    expect(await run.linked.channel.check(sent)).toBe('again')
    peer.faults.lookUps = { error: 429, of: 'devices', at, seconds: 20 }
    const outcome = async () => (await run.linked.channel.send(sent, null)).outcome
    expect(await outcome()).toMatchObject({ kind: 'held', until: clock.now() + 20_000 })
    peer.faults.lookUps = undefined
    expect(await outcome(), 'not asked again').toMatchObject({ kind: 'held' })
    expect(peer.journal.messages).toEqual([])
    await clock.advance(20_000)
    expect(await outcome()).toEqual({ kind: 'acknowledged' })
  })

  test('too many questions are no answer', async () => {
    const { run, message, peer, clock } = await onClock()
    peer.faults.refuseQuery('usync usync', 429, { next: 1 })
    expect(await run.linked.channel.check(await message('halo'))).toEqual({ kind: 'wait', until: clock.now() + 60_000 })
  })

  test.each(['nobody', 'no type'] as const)('an answer with %s says nothing about the number', async (fault) => {
    const { run, message, peer, store, clock } = await onClock()
    peer.faults.lookUps = fault
    const sent = await message('halo')
    expect(await run.linked.channel.check(sent)).toMatchObject({ kind: 'not_sent' })
    expect(await store.contacts.get(1, RECIPIENT)).toBeUndefined()
    peer.faults.lookUps = undefined
    await clock.advance(1_000)
    expect(await run.send(sent)).toEqual({ kind: 'acknowledged' })
  })

  test.each(['lid only', 'no jid'] as const)('a number may be answered with %s', async (fault) => {
    const { run, message, peer, recipient, store } = await onClock()
    peer.faults.lookUps = fault
    expect(await run.linked.channel.check(await message('halo'))).toBe('again')
    peer.faults.lookUps = undefined
    expect((await store.contacts.get(1, RECIPIENT))?.jid).toBe(`${RECIPIENT}@s.whatsapp.net`)
    expect(await run.send(await message('halo'))).toEqual({ kind: 'acknowledged' })
    expect((await recipient.next()).text).toBe('halo')
  })

  test.each(['usync usync', 'encrypt key'] as const)('an unanswered %s sends nothing to nobody', async (kind) => {
    const { run, message, peer } = await linked({ query: 1_000 })
    const sent = await message('halo')
    expect(await run.linked.channel.check(sent)).toBe('again')
    expect(await run.linked.channel.check(sent)).toBe('go')
    peer.faults.neverAnswer(kind)
    const flight = await run.linked.channel.send(sent, null)
    expect(await flight.outcome).toMatchObject({ kind: 'not_sent' })
    expect(peer.journal.messages).toEqual([])
    peer.faults.answerAgain()
    expect(await run.send(sent)).toEqual({ kind: 'acknowledged' })
  })

  test('a connection that breaks during the look-up costs no attempt', async () => {
    const { run, message, peer, phone } = await linked({ query: 5_000 })
    const sent = await message('halo')
    await run.linked.channel.check(sent)
    peer.faults.neverAnswer('usync usync')
    const flight = run.linked.channel.send(sent, null)
    phone.disconnect(428)
    expect(await (await flight).outcome).toEqual({ kind: 'offline' })
  })

  test('a sender that is not connected costs no attempt', async () => {
    const { open, message } = await createWorld()
    const run = open()
    const sent = await message('halo')
    expect(await run.linked.channel.check(sent)).toEqual({ kind: 'offline' })
    expect(await (await run.linked.channel.send(sent, null)).outcome).toEqual({ kind: 'offline' })
  })
})

describe('a message whose time is over', () => {
  /** A sender for which an hour passes when it asks the store for the contact the `nth` time within a send. */
  async function hourPassesAt(nth: number) {
    const world = await createWorld()
    let ahead = 0
    let asked = Number.NEGATIVE_INFINITY
    const run = world.open({
      clock: { ...systemClock, now: () => Date.now() + ahead },
      contacts: {
        ...world.store.contacts,
        get(senderId, phone) {
          asked += 1
          if (asked === nth) ahead = 3_600_000
          return world.store.contacts.get(senderId, phone)
        },
      },
    })
    await run.link()
    const sent = await world.message('kode 1234')
    expect(await run.linked.channel.check(sent)).toBe('again')
    expect(await run.linked.channel.check(sent)).toBe('go')
    asked = 0
    const send = async (more: object) => (await run.linked.channel.send({ ...sent, ...more }, null)).outcome
    return { ...world, send }
  }
  const inTenMinutes = () => ({ attempts: 1, expiresAt: Date.now() + 600_000 })

  test('while the devices of its recipient are asked for does not leave', async () => {
    // Composed by the first look at the contact; the others belong to its address and devices.
    const { send, peer } = await hourPassesAt(3)
    expect(await send(inTenMinutes())).toEqual({ kind: 'refused', code: 'expired' })
    expect(peer.journal.messages).toEqual([])
  })

  test('is not written a second time in the other form', async () => {
    const { send, peer } = await hourPassesAt(4)
    peer.faults.acknowledge({ error: '400' }, { next: 1 })
    expect(await send(inTenMinutes())).toEqual({ kind: 'refused', code: 'expired' })
    expect(peer.journal.messages.map(({ error }) => error)).toEqual(['400'])
  })

  test('and may have left before is not called expired', async () => {
    const { send, peer } = await hourPassesAt(3)
    expect(await send({ ...inTenMinutes(), attempts: 2 })).toEqual({ kind: 'acknowledged' })
    expect(peer.journal.messages).toHaveLength(1)
  })
})
