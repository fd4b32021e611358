import type { BinaryNode } from 'baileys'
import { describe, expect, test } from 'vitest'
import {
  firstContactsWaitUntil,
  reachQuery,
  readReachAnswer,
  readReachNotification,
} from '../../../server/connections/linked/account/reach.ts'

const NOW = Date.UTC(2026, 10, 21, 8)
const IN_AN_HOUR = NOW + 3_600_000
const seconds = (ms: number) => ms / 1000
const LOCK = 'xwa2_fetch_account_reachout_timelock'
const CAP = 'xwa2_message_capping_info'

const answer = (content: string | object): BinaryNode => ({
  tag: 'iq',
  attrs: { type: 'result' },
  content: [
    { tag: 'result', attrs: {}, content: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)) },
  ],
})
const inField = (field: string, value: unknown) => answer({ data: { [field]: value } })

describe('the lock', () => {
  test.each<[string, unknown, object | undefined]>([
    ['off', { is_active: false }, { active: false, endsAt: null }],
    ['off, with an old end', { is_active: false, time_enforcement_ends: '1' }, { active: false, endsAt: null }],
    [
      'on until its end',
      { is_active: true, time_enforcement_ends: `${seconds(IN_AN_HOUR)}`, enforcement_type: 'DEFAULT' },
      { active: true, endsAt: IN_AN_HOUR },
    ],
    [
      'on, of a type that nobody knows',
      { is_active: true, time_enforcement_ends: seconds(IN_AN_HOUR), enforcement_type: 'RESTRICT_ALL_COMPANIONS' },
      { active: true, endsAt: IN_AN_HOUR },
    ],
    ['on without an end', { is_active: true, time_enforcement_ends: '0' }, { active: true, endsAt: NOW + 60_000 }],
    [
      'on with an end that is no time',
      { is_active: true, time_enforcement_ends: 'soon' },
      { active: true, endsAt: NOW + 60_000 },
    ],
    [
      'on with an end behind all calendars',
      { is_active: true, time_enforcement_ends: '9000000000000' },
      { active: true, endsAt: NOW + 60_000 },
    ],
    ['missing members', {}, { active: false, endsAt: null }],
    ['nothing', null, undefined],
    ['something else', 'yes', undefined],
  ])('%s', (_, value, lock) => {
    expect(readReachAnswer('lock', inField(LOCK, value), NOW)).toEqual(lock)
  })
})

describe('the cap', () => {
  const none = { used: null, total: null, resetsAt: null, warning: 'none', holdsUntil: null }
  test.each<[string, unknown, object | undefined]>([
    [
      'with numbers as strings',
      { total_quota: '250', used_quota: '12', cycle_end_timestamp: `${seconds(IN_AN_HOUR)}`, capping_status: 'NONE' },
      { ...none, used: 12, total: 250, resetsAt: IN_AN_HOUR },
    ],
    [
      'with numbers, first warning',
      { total_quota: 250, used_quota: 200, capping_status: 'FIRST_WARNING' },
      { ...none, used: 200, total: 250, warning: 'first' },
    ],
    ['second warning', { capping_status: 'SECOND_WARNING' }, { ...none, warning: 'second' }],
    [
      'capped until the end of the cycle',
      { total_quota: 250, used_quota: 250, cycle_end_timestamp: seconds(IN_AN_HOUR), capping_status: 'CAPPED' },
      { used: 250, total: 250, resetsAt: IN_AN_HOUR, warning: 'capped', holdsUntil: IN_AN_HOUR },
    ],
    [
      'capped without an end: asked again in an hour',
      { capping_status: 'CAPPED' },
      { ...none, warning: 'capped', holdsUntil: IN_AN_HOUR },
    ],
    ['not limited', { total_quota: '-1', used_quota: '3', capping_status: 'CAPPED' }, { ...none, used: 3 }],
    ['a status that nobody knows', { capping_status: 'THIRD_WARNING' }, none],
    ['missing members', {}, none],
    ['nothing', null, undefined],
  ])('%s', (_, value, cap) => {
    expect(readReachAnswer('cap', inField(CAP, value), NOW)).toEqual(cap)
  })
})

test.each<[string, BinaryNode | undefined]>([
  ['no answer', undefined],
  ['errors, as for a query id that is not known any more', answer({ data: null, errors: [{ message: 'unknown' }] })],
  ['errors beside data', answer({ data: { [LOCK]: { is_active: true } }, errors: [{}] })],
  ['no JSON', answer('<html>')],
  ['too long', answer(JSON.stringify({ data: { [LOCK]: { is_active: true } }, pad: 'x'.repeat(70_000) }))],
  ['another node', { tag: 'iq', attrs: {}, content: [{ tag: 'error', attrs: { code: '500' } }] }],
])('nothing is known after %s', (_, node) => {
  expect(readReachAnswer('lock', node, NOW)).toBeUndefined()
  expect(readReachAnswer('cap', node, NOW)).toBeUndefined()
})

describe('a notification', () => {
  const notification = (op: string, data: unknown): BinaryNode => ({
    tag: 'notification',
    attrs: { type: 'mex' },
    content: [{ tag: 'update', attrs: { op_name: op }, content: Buffer.from(JSON.stringify({ data })) }],
  })

  test.each<[string, BinaryNode, object | undefined]>([
    [
      'of a lock',
      notification('NotificationUserReachoutTimelockUpdate', {
        xwa2_notify_account_reachout_timelock: { is_active: true, time_enforcement_ends: `${seconds(IN_AN_HOUR)}` },
      }),
      { question: 'lock', lock: { active: true, endsAt: IN_AN_HOUR } },
    ],
    [
      'of its end',
      notification('NotificationUserReachoutTimelockUpdate', {
        xwa2_notify_account_reachout_timelock: { is_active: false },
      }),
      { question: 'lock', lock: { active: false, endsAt: null } },
    ],
    [
      'of the cap',
      notification('MessageCappingInfoNotification', {
        xwa2_notify_new_chat_messages_capping_info_update: {
          total_quota: 10,
          used_quota: 8,
          capping_status: 'FIRST_WARNING',
        },
      }),
      {
        question: 'cap',
        cap: { used: 8, total: 10, resetsAt: null, warning: 'first', holdsUntil: null },
      },
    ],
    ['of something else', notification('NotificationNewsletterUpdate', {}), undefined],
    ['without data', notification('MessageCappingInfoNotification', null), undefined],
    ['without a child', { tag: 'notification', attrs: { type: 'mex' } }, undefined],
  ])('%s', (_, node, read) => {
    expect(readReachNotification(node, NOW)).toEqual(read)
  })
})

test('the queries are those of WhatsApp Web', () => {
  const [lock] = reachQuery('lock').content as BinaryNode[]
  expect(lock?.attrs).toEqual({ query_id: '23983697327930364' })
  expect(`${lock?.content}`).toBe('{"variables":{}}')
  const [cap] = reachQuery('cap').content as BinaryNode[]
  expect(cap?.attrs).toEqual({ query_id: '27910975521856601' })
  expect(`${cap?.content}`).toBe('{"variables":{"input":{"type":"INDIVIDUAL_NEW_CHAT_THREAD"}}}')
})

test.each([
  [null, null, null],
  [{ active: true, endsAt: IN_AN_HOUR }, null, IN_AN_HOUR],
  [{ active: true, endsAt: NOW }, null, null],
  [{ active: false, endsAt: null }, null, null],
  [null, IN_AN_HOUR, IN_AN_HOUR],
  [{ active: true, endsAt: NOW + 5 }, IN_AN_HOUR, IN_AN_HOUR],
  [{ active: true, endsAt: IN_AN_HOUR }, NOW + 5, IN_AN_HOUR],
])('first contacts wait for the later of lock %j and cap %j', (lock, holdsUntil, until) => {
  const cap = { used: null, total: null, resetsAt: null, warning: 'capped' as const, holdsUntil }
  expect(firstContactsWaitUntil(lock, holdsUntil === null ? null : cap, NOW)).toBe(until)
})
