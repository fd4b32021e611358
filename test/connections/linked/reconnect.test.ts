import { expect, test } from 'vitest'
import { createReconnect } from '../../../server/connections/linked/session/reconnect.ts'

const middle = () => 0.5
const ends = (reconnect: ReturnType<typeof createReconnect>, count: number, now = 0) =>
  Array.from({ length: count }, () => reconnect.waitAfterEnd(now))

test('waits 1 s, doubling up to two minutes', () => {
  const waits = ends(createReconnect(middle), 10)
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 120, 120, 120].map((seconds) => seconds * 1000))
})

test('spreads the clients of one outage', () => {
  expect(
    ends(
      createReconnect(() => 0),
      1,
    ),
  ).toEqual([800])
  expect(
    ends(
      createReconnect(() => 1),
      1,
    ),
  ).toEqual([1200])
})

test('goes on where it was when a connection was up for a moment only', () => {
  const reconnect = createReconnect(middle)
  ends(reconnect, 3)
  reconnect.opened(0)
  expect(reconnect.waitAfterEnd(29_999)).toBe(8_000)
})

test('begins again after a connection of 30 s', () => {
  const reconnect = createReconnect(middle)
  ends(reconnect, 3)
  reconnect.opened(0)
  expect(reconnect.waitAfterEnd(30_000)).toBe(1_000)
  expect(reconnect.waitAfterEnd(40_000)).toBe(2_000)
})

test('begins again after a connection that carried a message, however short', () => {
  const reconnect = createReconnect(middle)
  for (let drop = 0; drop < 20; drop += 1) {
    reconnect.opened(drop)
    reconnect.proven()
    expect(reconnect.waitAfterEnd(drop)).toBe(1_000)
  }
})

test('an acknowledgement that belongs to no open connection proves nothing', () => {
  const reconnect = createReconnect(middle)
  ends(reconnect, 3)
  reconnect.proven()
  expect(reconnect.waitAfterEnd(0)).toBe(8_000)
})

test('begins again when the network is back', () => {
  const reconnect = createReconnect(middle)
  ends(reconnect, 9)
  reconnect.forget()
  expect(reconnect.waitAfterEnd(0)).toBe(1_000)
})
