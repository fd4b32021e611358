import { describe, expect, test } from 'vitest'
import type { ClosingDecision } from '../../../server/connections/linked/session/closing.ts'
import {
  attemptAt,
  type LastRun,
  next,
  reportOf,
  type SessionEvent,
  type SessionState,
  stateAfterRestart,
} from '../../../server/connections/linked/session/session-state.ts'

const NOW = Date.UTC(2026, 10, 21, 8)
const DAY = 86_400_000

const run = (more: Partial<LastRun>): LastRun => ({
  ...{ state: 'offline', reason: null, reasonDetail: null, until: null, noConnectionBefore: null },
  ...more,
})
const waiting = (more: Partial<Extract<SessionState, { is: 'waiting' }>> = {}): SessionState => ({
  ...{ is: 'waiting', at: NOW + 60_000, reason: 'connection_lost', detail: null, ordered: false },
  ...more,
})
const banned: SessionState = {
  ...{ is: 'ended', state: 'restricted', reason: 'temporarily_banned', detail: '101' },
  ...{ until: NOW + DAY, forget: false },
}
const locked: SessionState = { ...banned, reason: 'locked', until: null }
const open: SessionState = { is: 'open', restarts: 0 }
const connecting = (restarts = 0): SessionState => ({ is: 'connecting', restarts })
const closed = (decision: ClosingDecision): SessionEvent => ({ type: 'closed', decision, backOffMs: 2_000, now: NOW })
const started = (identity: 'there' | 'missing' | 'unreadable'): SessionEvent => ({
  type: 'started',
  identity,
  now: NOW,
})

describe('at the start of the program', () => {
  test.each<[string, LastRun, SessionEvent, Partial<SessionState>]>([
    ['connects', run({ state: 'connected' }), started('there'), { is: 'connecting' }],
    ['connects after an unclean end', run({ state: 'connecting' }), started('there'), { is: 'connecting' }],
    [
      'keeps away until the end of a ban',
      run({ state: 'restricted', until: NOW + 1, noConnectionBefore: NOW + 1 }),
      started('there'),
      { is: 'ended', until: NOW + 1 },
    ],
    ['tries when a ban has ended', run({ state: 'restricted', until: NOW }), started('there'), { is: 'connecting' }],
    ['leaves a lock to the owner', run({ state: 'restricted', reason: 'locked' }), started('there'), { is: 'ended' }],
    ['leaves one that was replaced to the owner', run({ state: 'replaced' }), started('there'), { is: 'ended' }],
    [
      'keeps to a wait that WhatsApp asked for',
      run({ noConnectionBefore: NOW + 5 }),
      started('there'),
      { at: NOW + 5 },
    ],
    ['says that the identity is gone', run({ state: 'connected' }), started('missing'), { reason: 'session_missing' }],
    ['keeps the reason why there is none', run({ state: 'logged_out' }), started('missing'), { state: 'logged_out' }],
    ['never replaces what it cannot read', run({}), started('unreadable'), { reason: 'session_unreadable' }],
  ] as [string, LastRun, SessionEvent, Partial<SessionState>][])('%s', (_, last, event, expected) => {
    expect(next(stateAfterRestart(last), event)).toMatchObject(expected)
  })
})

describe('an event', () => {
  const stop = (until: number | null, forget = false): ClosingDecision => ({
    ...{ next: 'stop', state: 'restricted', reason: 'temporarily_banned', detail: '101' },
    ...{ until, forget },
  })
  const backOff: ClosingDecision = { next: 'back-off', reason: 'connection_lost', detail: null }
  const hourly: ClosingDecision = { next: 'wait', waitMs: 3_600_000, reason: 'refused_by_whatsapp', detail: '501' }
  test.each<[string, SessionState, SessionEvent, SessionState | Partial<SessionState>]>([
    ['a restart that WhatsApp asks for', open, closed({ next: 'at-once' }), connecting(1)],
    ['the third in a row', connecting(2), closed({ next: 'at-once' }), connecting(3)],
    ['the fourth is not heeded', connecting(3), closed({ next: 'at-once' }), { is: 'waiting', at: NOW + 2_000 }],
    ['nor where it opens in between', connecting(3), { type: 'opened' }, { is: 'open', restarts: 3 }],
    ['but after a wait', { ...open, restarts: 3 }, closed({ next: 'at-once' }), { is: 'waiting', at: NOW + 2_000 }],
    ['a lost line', open, closed(backOff), { is: 'waiting', at: NOW + 2_000, ordered: false }],
    ['a refusal', connecting(), closed(hourly), { is: 'waiting', at: NOW + 3_600_000, ordered: true, detail: '501' }],
    ['a ban', open, closed(stop(NOW + DAY)), { is: 'ended', until: NOW + DAY, detail: '101' }],
    ['the end of a ban', banned, { type: 'due', now: NOW + DAY }, connecting()],
    ['a timer that came too early', banned, { type: 'due', now: NOW + DAY - 1 }, banned],
    ['a new network during a ban', banned, { type: 'online', now: NOW }, banned],
    ['the owner during a ban', banned, { type: 'wanted' }, connecting()],
    ['the owner at a lock', locked, { type: 'wanted' }, connecting()],
    ['a new network while it waits', waiting(), { type: 'online', now: NOW }, connecting()],
    ['a new network in an ordered wait', waiting({ ordered: true }), { type: 'online', now: NOW }, { is: 'waiting' }],
    ['the PC sleeps', open, { type: 'slept' }, { is: 'waiting', at: null, reason: 'asleep' }],
    ['the PC sleeps during a ban', banned, { type: 'slept' }, banned],
    ['the PC wakes', waiting({ at: null }), { type: 'online', now: NOW }, connecting()],
    [
      'a newer version',
      waiting({ reason: 'protocol_outdated', ordered: true }),
      { type: 'version_found' },
      connecting(),
    ],
    [
      'nobody can say what the current version is',
      waiting({ reason: 'protocol_outdated', ordered: true, at: NOW + DAY }),
      { type: 'version_unknown', now: NOW },
      { is: 'waiting', at: NOW + 900_000, reason: 'protocol_outdated' },
    ],
    ['a newer version when none was asked for', open, { type: 'version_found' }, open],
    ['a phone vouches', banned, { type: 'linked' }, connecting()],
    ['the owner unlinks', open, { type: 'unlinked' }, { is: 'ended', state: 'unlinked', forget: true }],
    ['the owner asks for what is there', open, { type: 'wanted' }, open],
  ])('%s', (_, state, event, expected) => {
    expect(next(state, event)).toMatchObject(expected)
  })
})

test('what is kept of a state leads to the same next attempt after a restart', () => {
  for (const state of [banned, locked, waiting({ ordered: true })]) {
    const again = stateAfterRestart(reportOf(state))
    expect(attemptAt(again)).toBe(attemptAt(state))
    expect(reportOf(again)).toEqual(reportOf(state))
  }
  // A back-off starts from its beginning.
  expect(attemptAt(stateAfterRestart(reportOf(waiting())))).toBe(0)
})
