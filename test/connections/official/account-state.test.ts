import { describe, expect, it } from 'vitest'
import {
  accountAt,
  afterAcceptance,
  afterAccountUpdate,
  afterRefusal,
  goodStanding,
  maySend,
} from '../../../server/connections/official/account/sender-state.ts'
import type { AccountUpdate } from '../../../server/connections/official/inbox/updates.ts'
import type { AccountState } from '../../../server/store/index.ts'

const HOUR = 3_600_000
const NOW = Date.UTC(2026, 10, 21, 8)

const update = (event: string, more: Partial<AccountUpdate> = {}): AccountUpdate => ({
  ...{ kind: 'account', wabaId: '1', occurredAt: NOW, event, restrictions: [], ban: null, violation: null },
  ...more,
})
const ban = (state: string, at: number | null = null, more: Partial<AccountUpdate> = {}) =>
  update('DISABLED_UPDATE', { ban: { state, at }, ...more })
const restricted = (until: number | null, type = 'RESTRICTED_BIZ_INITIATED_MESSAGING') =>
  update('ACCOUNT_RESTRICTION', { restrictions: [{ type, until }] })

const start = goodStanding(0)
const stateAfter = (...updates: AccountUpdate[]): AccountState =>
  updates.reduce((state, one) => afterAccountUpdate(state, one, NOW), start)

describe('one report', () => {
  it.each<[string, AccountUpdate, Partial<AccountState>, boolean]>([
    [
      'a restriction with an end',
      restricted(NOW + HOUR),
      {
        ...{ standing: 'restricted', reason: 'account_restricted', since: NOW, from: null, until: NOW + HOUR },
        detail: 'RESTRICTED_BIZ_INITIATED_MESSAGING',
      },
      false,
    ],
    ['a restriction without an end', restricted(null), { standing: 'restricted', until: null }, false],
    [
      'a restriction that Meta does not name',
      update('ACCOUNT_RESTRICTION'),
      { standing: 'restricted', detail: null },
      false,
    ],
    [
      'a restriction that templates do not feel',
      restricted(NOW + HOUR, 'RESTRICTED_ADD_PHONE_NUMBER_ACTION'),
      { standing: 'warned', reason: 'account_limited', until: NOW + HOUR },
      true,
    ],
    [
      'several restrictions: the last one of those that count',
      update('ACCOUNT_RESTRICTION', {
        restrictions: [
          { type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', until: NOW + HOUR },
          { type: 'SOMETHING_NEW', until: NOW + 2 * HOUR },
          { type: 'RESTRICTED_ADD_PHONE_NUMBER_ACTION', until: NOW + 9 * HOUR },
        ],
      }),
      { detail: 'RESTRICTED_BIZ_INITIATED_MESSAGING', until: NOW + HOUR },
      false,
    ],
    ...[
      'RESTRICTED_USER_INITIATED_CALLING',
      'RESTRICTED_UTILITY_TEMPLATES',
      'RATE_LIMITED_UTILITY_TEMPLATE_MESSAGING',
    ].map((type): [string, AccountUpdate, Partial<AccountState>, boolean] => [
      `${type}, which stops no template`,
      restricted(NOW + HOUR, type),
      { standing: 'warned', reason: 'account_limited', detail: type },
      true,
    ]),
    [
      'a warning of categories, which names no restriction',
      update('ACCOUNT_RESTRICTION', { violation: 'UTILITY_TEMPLATE_ABUSE' }),
      { standing: 'warned', reason: 'account_violation', detail: 'UTILITY_TEMPLATE_ABUSE' },
      true,
    ],
    [
      'an account switched off',
      ban('DISABLE'),
      { standing: 'disabled', reason: 'account_disabled', detail: 'DISABLE' },
      false,
    ],
    [
      'one that will be',
      ban('SCHEDULE_FOR_DISABLE', NOW + 48 * HOUR),
      { standing: 'warned', reason: 'account_disable_scheduled', from: NOW + 48 * HOUR },
      true,
    ],
    [
      'a violation, which is a warning for a week',
      update('ACCOUNT_VIOLATION', { violation: 'SPAM' }),
      { standing: 'warned', reason: 'account_violation', detail: 'SPAM', until: NOW + 7 * 24 * HOUR },
      true,
    ],
    [
      'an account taken off the Cloud API',
      update('ACCOUNT_OFFBOARDED'),
      { standing: 'offboarded', reason: 'account_offboarded' },
      false,
    ],
    ['a deleted account', update('ACCOUNT_DELETED'), { standing: 'deleted', reason: 'account_deleted' }, false],
  ])('%s', (_name, one, expected, sends) => {
    const state = stateAfter(one)
    expect(state).toMatchObject(expected)
    expect(maySend(state)).toBe(sends)
  })

  it.each([['PARTNER_ADDED'], ['VOLUME_BASED_PRICING_TIER_UPDATE'], ['']])('%s changes nothing', (event) => {
    expect(stateAfter(update(event))).toEqual(start)
    expect(stateAfter(ban('DISABLE'), update(event))).toMatchObject({ standing: 'disabled' })
  })

  it('without a time counts from now', () => {
    expect(stateAfter(update('ACCOUNT_OFFBOARDED', { occurredAt: null }))).toMatchObject({ since: NOW })
  })
})

describe('several reports', () => {
  it('reinstated ends being disabled, restricted and warned, and nothing else', () => {
    for (const one of [ban('DISABLE'), restricted(null), update('ACCOUNT_VIOLATION')]) {
      expect(stateAfter(one, ban('REINSTATE'))).toEqual(goodStanding(NOW))
    }
    expect(stateAfter(update('ACCOUNT_OFFBOARDED'), ban('REINSTATE'))).toMatchObject({ standing: 'offboarded' })
  })

  it('the end of a limit for wrong categories, which Meta reports as a violation, does not restrict', () => {
    for (const violation of ['UTILITY_TEMPLATE_ABUSE_UNBAN', 'UTILITY_TEMPLATE_ABUSE_RATE_LIMIT_RECOVERY']) {
      const over = update('ACCOUNT_RESTRICTION', { violation })
      expect(stateAfter(over)).toEqual(start)
      expect(stateAfter(restricted(NOW + HOUR, 'RESTRICTED_UTILITY_TEMPLATES'), over)).toEqual(goodStanding(NOW))
      expect(stateAfter(ban('DISABLE'), over)).toMatchObject({ standing: 'disabled' })
    }
  })

  it('reconnected ends being off the Cloud API, and nothing else', () => {
    expect(stateAfter(update('ACCOUNT_OFFBOARDED'), update('ACCOUNT_RECONNECTED'))).toEqual(goodStanding(NOW))
    expect(stateAfter(ban('DISABLE'), update('ACCOUNT_RECONNECTED'))).toMatchObject({ standing: 'disabled' })
    expect(stateAfter(update('ACCOUNT_RECONNECTED'))).toEqual(start)
  })

  it('a worse state stays, and an equal or worse one replaces it', () => {
    expect(stateAfter(ban('DISABLE'), restricted(null))).toMatchObject({ standing: 'disabled' })
    expect(stateAfter(restricted(null), ban('DISABLE'))).toMatchObject({ standing: 'disabled' })
    expect(stateAfter(restricted(NOW + HOUR), restricted(NOW + 3 * HOUR))).toMatchObject({ until: NOW + 3 * HOUR })
  })

  it('older and repeated reports change nothing', () => {
    const good = stateAfter(restricted(null), ban('REINSTATE'))
    expect(afterAccountUpdate(good, { ...restricted(null), occurredAt: NOW - 1 }, NOW)).toEqual(good)
    const disabled = stateAfter(ban('DISABLE'))
    expect(afterAccountUpdate(disabled, ban('DISABLE'), NOW)).toEqual(disabled)
  })

  it('a state that is over does not outweigh a later one', () => {
    const state = stateAfter(restricted(NOW + HOUR))
    const warned = afterAccountUpdate(state, update('ACCOUNT_VIOLATION', { occurredAt: NOW + 2 * HOUR }), NOW)
    expect(warned).toMatchObject({ standing: 'warned' })
  })
})

it('is over when its time is over', () => {
  const state = stateAfter(restricted(NOW + HOUR))
  expect(accountAt(state, NOW + HOUR - 1)).toEqual(state)
  expect(accountAt(state, NOW + HOUR)).toEqual(goodStanding(NOW + HOUR))
  const disabled = stateAfter(ban('DISABLE'))
  expect(accountAt(disabled, NOW + 1000 * HOUR)).toEqual(disabled)
})

describe('sends', () => {
  const refusal = (code: number) => ({ code, message: 'Meta says no' })

  it.each([
    [368, 'account_locked'],
    [131031, 'account_locked'],
    [131042, 'account_unpaid'],
    [131048, 'account_reported'],
    [131064, 'category_violation'],
    [131037, 'name_unapproved'],
  ])('refused with %i hold the queue longer each time, although others are accepted meanwhile', (code, reason) => {
    const holds: number[] = []
    for (let state = start, now = NOW; holds.length < 5; now = state.until ?? 0) {
      state = afterRefusal(state, refusal(code), now)
      expect(state).toMatchObject({ standing: 'restricted', reason, detail: String(code), since: now })
      expect(afterAcceptance(state, now + 1)).toBe(state)
      holds.push(((state.until ?? 0) - now) / HOUR)
    }
    expect(holds).toEqual([1, 2, 4, 6, 6])
  })

  it('refused for other reasons say nothing about the account', () => {
    expect(afterRefusal(start, refusal(131026), NOW)).toBe(start)
    const over = stateAfter(restricted(NOW - 1))
    expect(maySend(afterRefusal(over, refusal(131026), NOW))).toBe(true)
    const disabled = stateAfter(ban('DISABLE'))
    expect(afterRefusal(disabled, refusal(131031), NOW)).toEqual(disabled)
  })

  it('accepted by Meta prove that the account is not restricted', () => {
    for (const one of [ban('DISABLE'), restricted(null), update('ACCOUNT_OFFBOARDED')]) {
      expect(afterAcceptance(stateAfter(one), NOW + 5)).toEqual(goodStanding(NOW + 5))
    }
    const warned = stateAfter(update('ACCOUNT_VIOLATION'))
    expect(afterAcceptance(warned, NOW + 5)).toBe(warned)
  })
})
