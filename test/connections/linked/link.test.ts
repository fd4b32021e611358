import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { NO_LOOK_UPS } from '../../../server/connections/linked/account/account-facts.ts'
import { ASSUMED_FORM } from '../../../server/connections/linked/account/addressing.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../server/lib/clock.ts'
import { StorageError } from '../../../server/lib/storage-error.ts'
import { createVault } from '../../../server/lib/vault.ts'
import { createTestClock } from '../../support/clock.ts'
import { eventually } from '../../support/eventually.ts'
import { createWorld, OWNER, RECIPIENT } from './world.ts'

const NOTHING = { reason: null, reasonDetail: null, until: null, noConnectionBefore: null }

describe('linking', () => {
  test('by QR, and back after a restart of the program', async () => {
    const world = await createWorld({ fewKeys: false })
    const first = world.open()
    await first.link()
    // Of 812 keys the phone may have taken one for its chats by now.
    await eventually(() => world.peer.phone(OWNER).keysLeft > 810)
    expect(first.view()).toEqual({ state: 'connected', reason: null, linking: null })
    expect(first.changes.at(-1)).toMatchObject({ phone: OWNER, accountName: 'Toko' })
    expect(first.changes.map(({ state }) => state)).toEqual(['connecting', 'connecting', 'connected'])
    await first.linked.stop()

    const second = world.open()
    second.linked.start()
    await second.state('connected')
    const message = await world.message('Halo')
    expect(await second.send(message)).toEqual({ kind: 'acknowledged' })
    const received = await world.peer.recipient(RECIPIENT).next()
    expect(received).toMatchObject({ id: message.providerMessageId, text: 'Halo', from: OWNER })
  })

  test('by a code that is typed in on the phone', async () => {
    const world = await createWorld()
    const run = world.open()
    const phone = world.peer.phone(OWNER)
    await run.linked.link({ method: 'code', phone: `+${OWNER}` })
    const code = await run.code()
    const linking = run.view()?.linking
    expect(linking).toMatchObject({ method: 'code', qr: null, pairing_code: code })
    expect(Date.parse(linking?.expires_at ?? '')).toBeGreaterThan(Date.now())
    await phone.enterCode(code)
    await run.state('connected')
  })

  test('shows a new QR code when the old one has run out, over several connections', async () => {
    const world = await createWorld({ refs: 2 })
    const run = world.open({ timeouts: { qr: 100 } })
    await run.linked.link({ method: 'qr' })
    const codes = [await run.code(), await run.code(), await run.code()]
    expect(new Set(codes).size).toBe(3)
    await world.peer.phone(OWNER).scan(await run.code())
    await run.state('connected')
  })

  test('gives up when nobody scans for five minutes', async () => {
    const world = await createWorld()
    const clock = createTestClock()
    const run = world.open({ clock })
    await run.linked.link({ method: 'qr' })
    await run.code()
    expect(run.view().linking?.expires_at).toBe(new Date(clock.now() + 60_000).toISOString())
    await clock.advance(5 * 60_000)
    expect(run.view()).toEqual({ state: 'unlinked', reason: 'qr_expired', linking: null })
  })

  test('is not tried at once each time that WhatsApp hangs up behind a code', async () => {
    const world = await createWorld()
    const clock = createTestClock()
    const run = world.open({ clock })
    await run.linked.link({ method: 'qr' })
    for (const ms of [0, 1_600, 3_200]) {
      await run.code()
      await world.peer.stop()
      await clock.scheduled(ms)
      await world.peer.start()
      await clock.advance(ms)
    }
    await run.code()
  })

  test('leaves the old link as it is when nobody scans the new code', async () => {
    const world = await createWorld()
    const clock = createTestClock()
    const run = world.open({ clock })
    await run.link()
    const { length } = run.changes
    await run.linked.link({ method: 'qr' })
    await run.code()
    expect(await run.send(await world.message('sementara itu'))).toEqual({ kind: 'acknowledged' })
    await clock.advance(5 * 60_000)
    expect(run.linked.linking()).toBeNull()
    expect(run.changes).toHaveLength(length)
  })

  test('again with another phone forgets what the first one knew', async () => {
    const world = await createWorld()
    const run = world.open()
    await run.link()
    await run.send(await world.message('Halo'))
    await world.written()
    expect(await world.store.contacts.get(world.senderId, RECIPIENT)).toMatchObject({ known: true })
    await run.link({ method: 'qr' }, world.peer.phone('6281100000002'))
    await run.send(await world.message('Halo lagi'))
    expect(world.peer.journal.messages.map(({ account }) => account)).toEqual([OWNER, '6281100000002'])
  })
})

describe('a link that ends', () => {
  test('on the phone: logged out, everything of it wiped, and linked again', async () => {
    const world = await createWorld()
    const run = world.open()
    const phone = await run.link()
    phone.unlink()
    expect(await run.state('logged_out')).toMatchObject({ reason: 'unlinked_on_phone' })
    expect(await world.store.sessions.credentials(world.senderId, 'current')).toBeUndefined()
    expect(run.linked.channel.ready()).toBe(false)
    await run.link({ method: 'qr' }, phone)
    expect(await run.send(await world.message('kembali'))).toEqual({ kind: 'acknowledged' })
  })

  test('on the phone while the program was off: logged out by the next login, which is the last', async () => {
    const world = await createWorld()
    const run = world.open()
    const phone = await run.link()
    await run.linked.stop()
    phone.unlink()
    const next = world.open()
    next.linked.start()
    expect(await next.state('logged_out')).toMatchObject({ reason: 'unlinked_on_phone' })
    const logins = () => world.peer.journal.connections.length
    const before = logins()
    expect(await world.store.sessions.credentials(world.senderId, 'current')).toBeUndefined()
    const third = world.open({ initial: { ...NOTHING, state: 'logged_out', reason: 'unlinked_on_phone' } })
    await next.linked.stop()
    third.linked.start()
    await third.link({ method: 'qr' }, phone)
    // The link and the login after it, and none with what was removed.
    expect(logins() - before).toBeLessThanOrEqual(2)
  })

  test('by WhatsApp over a weekend, after a limit on Saturday: called removed by WhatsApp', async () => {
    const world = await createWorld()
    const run = world.open()
    const phone = await run.link()
    await run.linked.stop()
    const saturday = Date.now() - 2 * DAY
    await world.store.linkedFacts.save(world.senderId, {
      form: ASSUMED_FORM,
      lock: null,
      cap: null,
      limitedAt: saturday,
      lookUps: NO_LOOK_UPS,
    })
    phone.unlink()
    const monday = world.open({ endTime: () => saturday + HOUR })
    monday.linked.start()
    expect(await monday.state('logged_out')).toMatchObject({ reason: 'removed_by_whatsapp' })
  })

  test('by the owner: the phone learns of it too', async () => {
    const world = await createWorld()
    const run = world.open()
    const phone = await run.link()
    await run.linked.unlink()
    expect(run.view()).toMatchObject({ state: 'unlinked', reason: 'unlinked_by_owner' })
    expect(await world.store.sessions.credentials(world.senderId, 'last_good')).toBeUndefined()
    expect(phone.isLinked).toBe(false)
  })

  test('elsewhere: replaced, also after a restart, until the owner resumes it', async () => {
    const world = await createWorld()
    const run = world.open()
    const phone = await run.link()
    phone.replace()
    expect(await run.state('replaced')).toMatchObject({ reason: 'connected_elsewhere' })
    await run.linked.stop()
    const next = world.open({ initial: { ...NOTHING, state: 'replaced', reason: 'connected_elsewhere' } })
    next.linked.start()
    await world.written()
    expect(next.changes, 'nothing but the owner ends that').toEqual([])
    next.linked.resume()
    await next.state('connected')
  })

  test('elsewhere, where nodes share the number: it may be one that stood still, so only the second time counts', async () => {
    const world = await createWorld()
    const clock = createTestClock()
    const run = world.open({ clock, mayBeReplaced: true })
    const phone = await run.link()
    phone.replace()
    expect(await run.state('offline')).toMatchObject({ reason: 'connected_elsewhere' })
    await clock.advance(5_000)
    await run.state('connected')
    phone.replace()
    expect(await run.state('replaced')).toMatchObject({ reason: 'connected_elsewhere' })
  })
})

describe('stored credentials', () => {
  test.each(['connected', 'linking'] as const)(
    'that are not there: unlinked, though it was %s before',
    async (state) => {
      const world = await createWorld()
      const run = world.open({ initial: { ...NOTHING, state } })
      run.linked.start()
      expect(await run.state('unlinked')).toMatchObject({ reason: 'session_missing' })
    },
  )

  test('that cannot be read give way to the last good copy', async () => {
    const world = await createWorld()
    const run = world.open()
    await run.link()
    await run.linked.stop()
    await world.store.sessions.change(world.senderId, {
      credentials: { generation: 'current', value: randomBytes(500), at: 0 },
    })
    const next = world.open()
    next.linked.start()
    await next.state('connected')
  })

  test('that cannot be read at all never become a new identity', async () => {
    const world = await createWorld()
    const run = world.open()
    await run.link()
    await run.linked.stop()
    const next = world.open({ vault: createVault(randomBytes(32)) })
    next.linked.start()
    expect(await next.state('logged_out')).toMatchObject({ reason: 'session_unreadable' })
    expect(await world.store.sessions.credentials(world.senderId, 'current')).toBeDefined()
  })
})

test('a storage that does not answer is asked again: nobody is logged out, and no older copy is taken', async () => {
  const world = await createWorld()
  const run = world.open()
  await run.link()
  await run.linked.stop()
  const clock = createTestClock()
  const { sessions } = world.store
  let isAway = true
  const asked: string[] = []
  const next = world.open({
    clock,
    sessions: {
      ...sessions,
      async credentials(senderId, generation) {
        asked.push(generation)
        if (isAway) throw new StorageError('no_server', 'db.example')
        return sessions.credentials(senderId, generation)
      },
    },
  })
  next.linked.start()
  await clock.scheduled(5_000)
  isAway = false
  await clock.advance(5_000)
  await next.state('connected')
  expect(next.changes.map(({ state }) => state)).toEqual(['connecting', 'connected'])
  expect(asked).toEqual(['current', 'current'])
})

test('a session key that cannot be stored says nothing of the message: nothing leaves, and it waits as it was', async () => {
  const world = await createWorld()
  const { sessions } = world.store
  let isAway = false
  const run = world.open({
    sessions: {
      ...sessions,
      async setKeys(...args) {
        if (isAway) throw new StorageError('no_server', 'db.example')
        return sessions.setKeys(...args)
      },
    },
  })
  await run.link()
  const message = await world.message('Halo')
  isAway = true
  expect(await run.send(message)).toEqual({ kind: 'offline' })
  isAway = false
  expect(await run.send(message)).toEqual({ kind: 'acknowledged' })
  expect(await world.peer.recipient(RECIPIENT).next()).toMatchObject({ text: 'Halo' })
})

test('a number of a person, who has no business name, links, sends, and is never shown online', async () => {
  const world = await createWorld()
  const run = world.open()
  await run.link({ method: 'qr' }, world.peer.phone(OWNER, { isBusiness: false }))
  expect(run.changes.at(-1)).toMatchObject({ phone: OWNER, accountName: null })
  expect(await run.send(await world.message('Halo'))).toEqual({ kind: 'acknowledged' })
})

test('a welcome before a phone was linked is none: an expired code is followed by one that links', async () => {
  const clock = createTestClock()
  const world = await createWorld({ now: clock.now })
  world.peer.faults.welcomeBeforePairing = true
  const run = world.open({ clock })
  const phone = world.peer.phone(OWNER)
  await run.linked.link({ method: 'qr' })
  const first = await run.code()
  await clock.advance(MINUTE)
  await expect(phone.scan(first)).rejects.toThrow('has expired')
  const second = await run.code()
  await clock.advance(20 * SECOND)
  await expect(phone.scan(second)).rejects.toThrow('has expired')
  await phone.scan(await run.code())
  await run.state('connected')
})

test('a phone is linked before what is known of the number has been read: the connection goes on with it', async () => {
  const world = await createWorld()
  const { linkedFacts } = world.store
  const known = Promise.withResolvers<void>()
  const run = world.open({
    facts: {
      ...linkedFacts,
      async get(senderId) {
        await known.promise
        return linkedFacts.get(senderId)
      },
    },
  })
  run.linked.start()
  await run.linked.link({ method: 'qr' })
  const scanned = world.peer.phone(OWNER).scan(await run.code())
  await run.state('connecting')
  known.resolve()
  expect(await scanned).toBe('linked')
  await run.state('connected')
  await run.held(({ until }) => until === null)
  expect(await run.send(await world.message('Halo'))).toEqual({ kind: 'acknowledged' })
})

describe('while the stored session is still being read', () => {
  test('an owner who resumes what was replaced is heard', async () => {
    const world = await createWorld()
    const run = world.open()
    const phone = await run.link()
    phone.replace()
    await run.state('replaced')
    await run.linked.stop()
    const next = world.open({ initial: { ...NOTHING, state: 'replaced', reason: 'connected_elsewhere' } })
    next.linked.start()
    next.linked.resume()
    await next.state('connected')
  })

  async function reading() {
    const world = await createWorld()
    const run = world.open()
    await run.link()
    await run.linked.stop()
    const arrives = Promise.withResolvers<void>()
    const { sessions } = world.store
    const next = world.open({
      sessions: {
        ...sessions,
        async credentials(...args) {
          await arrives.promise
          return sessions.credentials(...args)
        },
      },
    })
    next.linked.start()
    return { world, next, arrives }
  }

  test('a new link takes its place: the old identity does not connect', async () => {
    const { world, next, arrives } = await reading()
    await next.link({ method: 'qr' }, world.peer.phone(OWNER))
    const { length } = world.peer.journal.logins
    arrives.resolve()
    expect(await next.send(await world.message('halo'))).toEqual({ kind: 'acknowledged' })
    expect(world.peer.journal.logins).toHaveLength(length)
  })

  test('a stop ends it: nothing connects afterwards', async () => {
    const { world, next, arrives } = await reading()
    await next.linked.stop()
    arrives.resolve()
    await world.written()
    expect(next.changes).toEqual([])
  })
})
