import { describe, expect, test } from 'vitest'
import type { Overview } from '../../renderer/api/overview.ts'
import { endpointHealth, worstFirst } from '../../renderer/model/endpoint-health.ts'
import { findIssues, isAlarm, issueKey } from '../../renderer/model/issues.ts'
import { troubledFirst } from '../../renderer/model/sender-order.ts'
import type { SenderView } from '../../server/contract/senders.ts'
import { senderView, webhookView } from './support/rows.ts'

const NOW = Date.parse('2026-11-21T09:00:00.000Z')

const overview = (more: Partial<Overview> = {}): Overview => ({
  today: { accepted: 100, sent: 100, failed: 0, waiting: 0 },
  days: [],
  callbacks: { pending: 0, dead: 0 },
  disk: { database_bytes: 1, free_bytes: 50_000_000_000 },
  version: '0.1.0',
  ...more,
})

const problemsOf = (...senders: SenderView[]) =>
  findIssues({ senders, endpoints: [], overview: undefined }, NOW).map((issue) =>
    issue.kind === 'sender' ? `${issue.sender.name} ${issue.problem}` : issue.kind,
  )

const ago = (seconds: number) => new Date(NOW - seconds * 1000).toISOString()

describe('which sender needs the owner', () => {
  test.each([
    ['connected', {}, []],
    ['logged out', { state: 'logged_out' }, ['A logged_out']],
    ['blocked', { state: 'restricted' }, ['A restricted']],
    ['used elsewhere', { state: 'replaced' }, ['A replaced']],
    ['a linked number that was never linked', { state: 'unlinked' }, ['A unlinked']],
    ['a sandbox, which needs no phone', { state: 'unlinked', kind: 'sandbox' }, []],
    ['offline for half a minute', { state: 'offline', since: ago(30) }, []],
    ['offline for two minutes', { state: 'offline', since: ago(120) }, ['A offline']],
    ['paused with nothing waiting', { state: 'paused' }, []],
    ['paused with messages waiting', { state: 'paused', waiting: 2 }, ['A paused']],
    ['new chats limited', { first_contacts_wait_until: ago(-3600) }, ['A first_contacts']],
  ] as const)('%s', (_, more, expected) => {
    expect(problemsOf(senderView({ name: 'A', ...more }))).toEqual(expected)
  })

  test('what holds most messages comes first, the pause that the owner chose last', () => {
    const blocked = senderView({ name: 'blocked', state: 'restricted', waiting: 0 })
    const out = senderView({ name: 'out', state: 'logged_out', waiting: 38 })
    const paused = senderView({ name: 'paused', state: 'paused', waiting: 500 })
    const unlinked = senderView({ name: 'unlinked', state: 'unlinked', waiting: 0 })
    expect(problemsOf(paused, unlinked, blocked, out)).toEqual([
      'out logged_out',
      'blocked restricted',
      'unlinked unlinked',
      'paused paused',
    ])
  })

  test('an official number is named by its first failing check', () => {
    const check = { name: 'token', ok: false, message: 'no', hint: null } as const
    const official = {
      phone_number_id: '1',
      waba_id: '2',
      checks: [check, { ...check, name: 'number' as const }],
      checked_at: null,
      templates_synced_at: null,
      last_status_at: null,
    }
    const issues = findIssues(
      { senders: [senderView({ kind: 'official', official })], endpoints: [], overview: undefined },
      NOW,
    )
    expect(issues).toMatchObject([{ kind: 'check', check: { name: 'token' } }])
    const offline = senderView({ kind: 'official', official, state: 'offline', since: ago(600) })
    expect(problemsOf(offline), 'one cause is one issue').toEqual(['Toko Melati offline'])
  })
})

describe('failed messages', () => {
  test.each([
    ['none', 0, 0, 0],
    ['a few of many', 3, 100, 0],
    ['many of many more', 30, 200, 0],
    ['a fifth', 25, 100, 1],
    ['most of few', 2, 1, 1],
    ['the only one', 1, 0, 1],
    ['one of two', 1, 1, 1],
    ['one of three', 1, 2, 0],
  ])('%s', (_, failed, sent, expected) => {
    const today = { accepted: failed + sent, sent, failed, waiting: 0 }
    const issues = findIssues({ senders: [], endpoints: [], overview: overview({ today }) }, NOW)
    expect(issues).toHaveLength(expected)
    expect(issues.every(isAlarm)).toBe(true)
  })
})

test('callbacks and the disk', () => {
  const endpoints = [
    webhookView({ id: '1', last_error: 'no', pending: 2 }),
    webhookView({ id: '2', last_error: 'no', pending: 1 }),
    webhookView({ id: '3', enabled: false, disabled_reason: 'gone' }),
    webhookView({ id: '4', last_error: 'no', pending: 1, dead: 3 }),
    webhookView({ id: '5', enabled: false }),
  ]
  const known = overview({
    callbacks: { pending: 4, dead: 3 },
    disk: { database_bytes: 1, free_bytes: 999_999_999 },
  })
  const issues = findIssues({ senders: [], endpoints, overview: known }, NOW)
  expect(issues.map(issueKey)).toEqual(['endpoint 1', 'endpoint 2', 'endpoint 3', 'callbacks', 'disk'])
})

test('no two issues share a key', () => {
  const senders = ['A', 'B'].map((code) => senderView({ sender_code: code, state: 'logged_out' }))
  const endpoints = ['1', '2'].map((id) => webhookView({ id, last_error: 'no', pending: 1 }))
  const keys = findIssues({ senders, endpoints, overview: undefined }, NOW).map(issueKey)
  expect(new Set(keys).size).toBe(4)
})

test('senders in trouble come first, the sandbox last', () => {
  const senders = [
    senderView({ sender_code: 'SANDBOX', kind: 'sandbox' }),
    senderView({ sender_code: 'WELL' }),
    senderView({ sender_code: 'OUT', state: 'logged_out' }),
  ]
  const issues = findIssues({ senders, endpoints: [], overview: undefined }, NOW)
  expect(troubledFirst(senders, issues).map(({ sender_code }) => sender_code)).toEqual(['OUT', 'WELL', 'SANDBOX'])
})

test('endpoints that need attention come first', () => {
  const endpoints = [
    webhookView({ id: 'off', enabled: false }),
    webhookView({ id: 'well', last_delivered_at: ago(5) }),
    webhookView({ id: 'idle' }),
    webhookView({ id: 'failing', dead: 1 }),
    webhookView({ id: 'gone', enabled: false, disabled_reason: 'gone' }),
  ]
  expect(worstFirst(endpoints).map(endpointHealth)).toEqual(['gone', 'failing', 'idle', 'well', 'off'])
})
