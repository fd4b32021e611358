import { expect, test } from 'vitest'
import { isDisconnect } from '../../../server/connections/linked/library/questions.ts'
import type { Part } from '../../../server/connections/linked/sending/content.ts'
import { createFlights } from '../../../server/connections/linked/sending/flights.ts'
import { together, writeParts } from '../../../server/connections/linked/sending/relay.ts'
import { createTestClock } from '../../support/clock.ts'

const TIMEOUT = 20_000
const HOUR = 3_600_000
const TAKEN = { kind: 'ack', error: undefined, phash: undefined, refreshLid: false } as const

function open() {
  const clock = createTestClock()
  const silences: number[] = []
  const flights = createFlights(clock, TIMEOUT, () => silences.push(clock.elapsed()))
  return { clock, flights, silences }
}

test('what is written twice at a time lands twice', async () => {
  const { flights } = open()
  const both = [flights.begin('A'), flights.begin('A')]
  expect(flights.land('A', TAKEN)).toBe(true)
  expect(await Promise.all(both)).toEqual([TAKEN, TAKEN])
})

test('and comes to an end twice where nothing is answered', async () => {
  const { clock, flights, silences } = open()
  const first = flights.begin('A')
  flights.written('A')
  await clock.advance(TIMEOUT / 2)
  const second = flights.begin('A')
  flights.written('A')
  await clock.advance(TIMEOUT)
  expect(await Promise.all([first, second])).toMatchObject([{ kind: 'unknown' }, { kind: 'unknown' }])
  expect(silences).toHaveLength(1)
})

test('a dead line is found out, also after the clock was set back by hours', async () => {
  const { clock, flights, silences } = open()
  flights.received()
  clock.jump(-7 * HOUR)
  const landing = flights.begin('A')
  await clock.advance(TIMEOUT)
  // As long as it is being written, nothing is waited for.
  flights.written('A')
  await clock.advance(TIMEOUT)
  expect(await landing).toMatchObject({ kind: 'unknown' })
  expect(silences).toHaveLength(1)
})

test('of what is being written when the connection is lost the write itself says whether it left', async () => {
  const { flights } = open()
  const [written, leaving, staying] = ['A', 'B', 'C'].map((id) => flights.begin(id))
  flights.written('A')
  flights.lose('the connection was lost')
  expect(await written).toMatchObject({ kind: 'unknown', isLost: true })
  flights.written('B')
  expect(await leaving).toMatchObject({ kind: 'unknown', isLost: true })
  flights.land('C', { kind: 'offline' })
  expect(await staying).toEqual({ kind: 'offline' })
})

const ACKNOWLEDGED = { kind: 'acknowledged' } as const
const OFFLINE = { kind: 'offline' } as const
const NOT_SENT = { kind: 'not_sent', reason: 'no keys' } as const
const UNKNOWN = { kind: 'unknown', reason: 'the connection was lost' } as const
const HELD = { kind: 'held', until: null, reason: '463' } as const
const REFUSED = { kind: 'refused', code: 'account_restricted' } as const

test.each([
  [[ACKNOWLEDGED, ACKNOWLEDGED], ACKNOWLEDGED],
  [[ACKNOWLEDGED, OFFLINE], { kind: 'unknown' }],
  [[OFFLINE, UNKNOWN], { kind: 'unknown' }],
  [[ACKNOWLEDGED, NOT_SENT], { kind: 'unknown' }],
  [[UNKNOWN, OFFLINE], UNKNOWN],
  [[ACKNOWLEDGED, HELD], { kind: 'unknown' }],
  [[HELD, HELD], HELD],
  [[ACKNOWLEDGED, REFUSED], REFUSED],
  [[OFFLINE, OFFLINE], OFFLINE],
  [[NOT_SENT], NOT_SENT],
  [[UNKNOWN], UNKNOWN],
])('the parts %j of a message are together %j', (parts, whole) => {
  expect(together(parts)).toMatchObject(whole)
})

test('a part that could not be written does not hide that the one before it left', async () => {
  const parts: Part[] = ['text', 'audio'].map((id) => ({ id, content: { conversation: id } }))
  const failsAt = (id: string) =>
    writeParts(parts, async (part) => {
      if (part.id === id) throw new Error('its keys could not be read')
      return { outcome: Promise.resolve({ kind: 'acknowledged' }) }
    })
  expect(await (await failsAt('audio')).outcome).toEqual({ kind: 'unknown', reason: 'only a part of it left' })
  await expect(failsAt('text')).rejects.toThrow('its keys could not be read')
})

// A question in flight is rejected with the code of the close itself.
test.each([1000, 1001, 1005, 1006, 1012])('a line that WebSocket closes with %i is lost', (code) => {
  expect(isDisconnect(code)).toBe(true)
})

test('an answer of the server is no lost line', () => {
  const refused = Object.assign(new Error('item-not-found'), { output: { statusCode: 500 }, data: 404 })
  expect([refused, new Error('1005'), undefined].map(isDisconnect)).toEqual([false, false, false])
})
