import { expect, test } from 'vitest'
import { createTestClock } from '../../support/clock.ts'
import { eventually } from '../../support/eventually.ts'
import { createWorld, OWNER, RECIPIENT } from './world.ts'

const AS_OFFLINE = {
  state: 'offline',
  reason: null,
  reasonDetail: null,
  until: null,
  noConnectionBefore: null,
} as const

test('linking the same number seven times leaves one entry in the list of the phone, and messages still arrive', async () => {
  const world = await createWorld()
  const run = world.open()
  const phone = await run.link()
  expect(await run.send(await world.message('satu'))).toEqual({ kind: 'acknowledged' })
  for (let link = 2; link <= 7; link += 1) {
    await run.link({ method: 'qr' }, phone)
    await eventually(() => phone.linkedDevices.length === 1)
  }
  expect(phone.linkedDevices).toEqual([7])
  expect(await run.send(await world.message('dua'))).toEqual({ kind: 'acknowledged' })
  expect(await run.send(await world.message('baru', { to: '6281234560000' }))).toEqual({ kind: 'acknowledged' })
  const texts = (await world.peer.recipient(RECIPIENT).messages()).map(({ text }) => text)
  expect(texts).toEqual(['satu', 'dua'])
})

test('contacts outlive a new link of the same number, and not one of another', async () => {
  const world = await createWorld()
  const run = world.open()
  await run.link()
  await run.send(await world.message('halo'))
  await world.written()
  await run.link()
  expect(await world.store.contacts.get(world.senderId, RECIPIENT)).toMatchObject({ known: true })
  await run.link({ method: 'qr' }, world.peer.phone('6281100000002'))
  await world.written()
  expect(await world.store.contacts.get(world.senderId, RECIPIENT)).toBeUndefined()
})

test('a guess how long WhatsApp restricts a number outlives a new link of it, and not one of another', async () => {
  const world = await createWorld()
  const { sendingState } = world.store
  const run = world.open()
  await run.link()
  const guess = { restrictedUntil: Date.now() + 3_600_000, restrictions: 3 }
  await sendingState.change(world.senderId, (state) => ({ ...state, ...guess }))
  await run.link()
  await world.written()
  expect(await sendingState.get(world.senderId)).toMatchObject(guess)
  await run.link({ method: 'qr' }, world.peer.phone('6281100000002'))
  await world.written()
  expect(await sendingState.get(world.senderId)).toMatchObject({ restrictedUntil: 0, restrictions: 0 })
})

test('a crash in the middle of linking another number lets nothing leave through it before that is written', async () => {
  const world = await createWorld()
  const first = world.open()
  await first.link()
  await first.linked.stop()
  let recorded = '6281100000002'
  const run = world.open({ phone: recorded, initial: AS_OFFLINE, isRecorded: (phone) => phone === recorded })
  run.linked.start()
  await run.state('connected')
  expect(run.linked.channel.ready()).toBe(false)
  recorded = OWNER
  expect(run.linked.channel.ready()).toBe(true)
})

test('an unlink that WhatsApp answers slowly does not take back a new link', async () => {
  const world = await createWorld()
  const run = world.open({ timeouts: { query: 4_000 } })
  const phone = await run.link()
  world.peer.faults.freeze()
  const unlinked = run.linked.unlink()
  world.peer.faults.thaw()
  world.peer.faults.neverAnswer('md remove-companion-device')
  await run.link({ method: 'qr' }, phone)
  await unlinked
  expect(await world.store.sessions.credentials(world.senderId, 'current')).toBeDefined()
  expect(await run.send(await world.message('masih tertaut'))).toEqual({ kind: 'acknowledged' })
})

test('a passkey that WhatsApp wants is said, confirmed, and no more codes are offered', async () => {
  const world = await createWorld()
  const clock = createTestClock()
  const run = world.open({ clock })
  await run.linked.link({ method: 'qr' })
  const phone = world.peer.phone(OWNER, { passkey: 'asked' })
  expect(await phone.scan(await run.code())).toBe('passkey')
  expect(await run.shown((linking) => linking?.reason === 'passkey_required')).toMatchObject({ qr: null })
  await clock.advance(10 * 60_000 - 1)
  expect(run.linked.linking()).toMatchObject({ reason: 'passkey_required', qr: null })
  await clock.advance(1)
  expect(run.linked.linking()).toBeNull()
})

test.each([400, 429])('a pairing code that WhatsApp refuses with %i is never shown', async (code) => {
  const world = await createWorld()
  const run = world.open()
  world.peer.faults.refusePairingCode = code
  await run.linked.link({ method: 'code', phone: OWNER })
  expect(await run.shown((linking) => Boolean(linking?.pairing_code ?? linking?.reason))).toMatchObject({
    pairing_code: null,
    reason: 'pairing_code_refused',
    reason_detail: String(code),
  })
})
