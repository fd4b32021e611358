import { expect, test } from 'vitest'
import { createTestClock } from '../../support/clock.ts'
import { eventually } from '../../support/eventually.ts'
import { createWorld, OWNER } from './world.ts'

const DAY = 24 * 3_600_000
const DUE = 27 * DAY

const AS_OFFLINE = {
  state: 'offline',
  reason: null,
  reasonDetail: null,
  until: null,
  noConnectionBefore: null,
} as const

/** A link on a clock that the test moves; what customers write is heard. */
async function linkedWorld() {
  const clock = createTestClock()
  const world = await createWorld({ now: clock.now })
  const heard: (string | null)[] = []
  const open = (more = {}) => world.open({ clock, onReceived: async ({ text }) => void heard.push(text), ...more })
  const run = open()
  const phone = await run.link()
  const { journal } = world.peer
  // A jump of the clock while an answer is on its way would look like one that was never given.
  const answered = () => eventually(() => !phone.isOnline || phone.pending.unconfirmed === 0)
  await answered()
  const rotations = () => journal.queries.get('encrypt rotate') ?? 0
  async function again() {
    const next = open({ initial: AS_OFFLINE })
    next.linked.start()
    await next.state('connected')
    await answered()
    return next
  }
  /** Customers seal now what arrives later. */
  async function sealed(number: string, text: string) {
    const customer = world.peer.recipient(number)
    await customer.send(text, OWNER, { late: true })
    await answered()
    return () => customer.release()
  }
  const texts = () => [...new Set(heard)]
  return { world, clock, run, phone, again, sealed, texts, rotations, journal, answered }
}

test('a message sealed to the signed pre-key of before is read, also after a start; the fourth ends the first', async () => {
  const { clock, run, phone, again, sealed, texts, rotations, journal, answered } = await linkedWorld()
  journal.recording = true
  const [first, second, last] = [
    await sealed('6281200000001', 'satu'),
    await sealed('6281200000002', 'dua'),
    await sealed('6281200000003', 'tiga'),
  ]
  const isRenewed = (count: number) => eventually(() => phone.signedPreKeyId === count + 1)
  await clock.advance(DUE - DAY)
  expect(rotations()).toBe(0)
  await clock.advance(2 * DAY)
  await isRenewed(1)
  first()
  await eventually(() => texts().includes('satu'))
  await run.linked.stop()
  let next = await again()
  second()
  await eventually(() => texts().includes('dua'))
  for (const count of [2, 3]) {
    await answered()
    await clock.advance(28 * DAY)
    await isRenewed(count)
  }
  await next.linked.stop()
  next = await again()
  const asked = () => journal.stanzas.filter(({ attrs }) => attrs.type === 'retry').length
  expect(asked()).toBe(0)
  last()
  await eventually(() => asked() > 0)
})

test('a cut between the upload and its answer loses neither key, and the same one is offered again', async () => {
  const { world, clock, run, phone, again, sealed, texts, rotations } = await linkedWorld()
  const early = await sealed('6281200000001', 'sebelum')
  world.peer.faults.loseAnswer('encrypt rotate')
  await clock.advance(DUE + DAY)
  await eventually(() => rotations() === 1)
  const taken = phone.signedPreKey
  await run.linked.stop()
  const later = await sealed('6281200000002', 'sesudah')
  await again()
  early()
  later()
  await eventually(() => texts().length === 2)
  expect(texts().toSorted()).toEqual(['sebelum', 'sesudah'])
  await eventually(() => rotations() === 2)
  expect(phone.signedPreKey).toEqual(taken)
})

test.each([
  [406, DUE],
  [503, DAY],
])(
  'after the answer %i the next attempt is due in %i ms',
  async (code, wait) => {
    const { world, clock, rotations } = await linkedWorld()
    world.peer.faults.refuseQuery('encrypt rotate', code)
    await clock.advance(DUE)
    await eventually(() => rotations() === 1)
    await world.written()
    await clock.advance(Math.max(0, wait - 2 * DAY))
    expect(rotations()).toBe(1)
    await clock.advance(3 * DAY)
    await eventually(() => rotations() >= 2)
  },
  60_000,
)
