import { describe, expect, test } from 'vitest'
import type { Outcome } from '../../server/messages/channel.ts'
import { IDLE, type LaneEvent, type LaneState, next, REST, turnOf, WINDOW } from '../../server/messages/lane-state.ts'
import { ACKNOWLEDGED, OFFLINE, UNKNOWN } from '../support/scripted-channel.ts'

const NOW = 1_000_000
const LOST: Outcome = { kind: 'unknown', reason: 'the connection was lost', isLost: true }

const stateAfter = (...events: LaneEvent[]): LaneState => events.reduce(next, IDLE)
const dispatched = (seq: number): LaneEvent => ({ type: 'dispatched', seq })
const stored = (seq: number): LaneEvent => ({ type: 'stored', seq })
const landed = (seq: number, outcome: Outcome, isReady = false): LaneEvent => ({
  type: 'landed',
  seq,
  outcome,
  isReady,
  now: NOW,
})

/** What is done with a queue that was read in this state and whose first message is due. */
const turn = (state: LaneState, more: { readAt?: number; headAt?: number; opensAt?: number; now?: number } = {}) => {
  const { readAt = state.returns, headAt = NOW, opensAt = NOW, now = NOW } = more
  return turnOf(state, { returns: readAt, headAt }, opensAt, now)
}

test('an idle lane sends what is due', () => {
  expect(turn(IDLE)).toBe('send')
})

test('until the gate opens, or its first message is due, it waits for that time', () => {
  expect(turn(IDLE, { opensAt: NOW + 7 })).toBe(NOW + 7)
  expect(turn(IDLE, { headAt: NOW + 9 })).toBe(NOW + 9)
})

test('no more than a window is under way; the next one leaves when a result is stored', () => {
  const full = stateAfter(...Array.from({ length: WINDOW }, (_, i) => dispatched(i)))
  expect(turn(full)).toBeNull()
  expect(turn(next(full, landed(3, ACKNOWLEDGED))), 'landed is not stored').toBeNull()
  expect(turn([landed(3, ACKNOWLEDGED), stored(3)].reduce(next, full))).toBe('send')
})

describe.each([
  ['offline', OFFLINE],
  ['lost with its connection', LOST],
] as const)('an attempt that was %s', (_name, outcome) => {
  const before = stateAfter(dispatched(1), dispatched(2))
  const going = next(before, landed(1, outcome))

  test('keeps all others back until it is in the queue again', () => {
    expect(turn(going)).toBeNull()
    expect(turn(next(going, stored(2))), 'another one is stored').toBeNull()
    expect(turn(next(going, stored(1)))).toBe('send')
  })

  test('makes a queue outdated that was read before it went back, or before it was there', () => {
    const back = next(going, stored(1))
    expect(going.returns, 'nothing leaves that was made ready before').not.toBe(before.returns)
    expect(turn(back, { readAt: before.returns })).toBe(NOW)
    expect(turn(back, { readAt: going.returns })).toBe(NOW)
  })
})

test.each([
  ['acknowledged', ACKNOWLEDGED],
  ['unanswered', UNKNOWN],
  ['refused', { kind: 'refused', code: 'recipient_not_on_whatsapp' }],
] as const)('an attempt that was %s keeps nothing back, and no queue becomes outdated', (_name, outcome) => {
  const before = stateAfter(dispatched(1))
  const state = [landed(1, outcome), stored(1)].reduce(next, before)
  expect(turn(state, { readAt: before.returns })).toBe('send')
  expect(state.attempts.size).toBe(0)
})

describe('a connection that only seems to be there', () => {
  const found: LaneEvent = { type: 'offline', isReady: true, now: NOW }

  test.each([
    ['before an attempt', [found]],
    ['in one', [dispatched(1), landed(1, OFFLINE, true), stored(1)]],
  ])('gets a pause: found %s', (_where, events) => {
    const state = stateAfter(...events)
    expect(turn(state)).toBe(NOW + REST)
    expect(turn(state, { now: NOW + REST - 1 })).toBe(NOW + REST)
    expect(turn(state, { now: NOW + REST })).toBe('send')
  })

  test('a clock that was set back ends the pause', () => {
    expect(turn(stateAfter(found), { now: NOW - 1, headAt: NOW - 1, opensAt: NOW - 1 })).toBe('send')
  })

  test('one that is known to be gone gets none: the lane is woken when it is back', () => {
    expect(stateAfter({ type: 'offline', isReady: false, now: NOW })).toEqual(IDLE)
  })
})
