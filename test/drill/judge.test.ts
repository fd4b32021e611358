import { describe, expect, test } from 'vitest'
import { type Closed, type Experience, judge, type Observed, rows, table, unexplained } from './judge.ts'

const HOUR = 3_600_000
const NOW = Date.UTC(2026, 10, 1, 9)
const END = NOW + 30 * 24 * HOUR

/** Its status is true, unless the test says what WhatsApp has told. */
const experience = (more: Partial<Experience> = {}): Experience => ({
  ...{ label: 'invoices', who: 'known', acceptedAt: NOW, sentAt: NOW, status: 'read', error: null, arrived: 1 },
  known: ['failed', 'queued'].includes(more.status ?? '') ? 'nothing' : 'read',
  ...more,
})
const ban: Closed = { from: NOW, until: NOW + 48 * HOUR, why: 'a ban', holds: 'all', mostAttempts: 0 }
const lock: Closed = { from: NOW, until: NOW + 24 * HOUR, why: 'a lock', holds: 'strangers' }
const observed = (more: Partial<Observed>): Observed => ({
  ...{ experiences: [], closed: [], attempts: [], lookUps: [], slips: [] },
  ...more,
})
const faults = (more: Partial<Observed>) => judge(observed(more), END)

describe('a message to a known customer', () => {
  test('that arrived once and in time is no fault', () => {
    expect(faults({ experiences: [experience()] })).toEqual([])
  })
  test.each<[string, Partial<Experience>, RegExp]>([
    [
      'that never arrived',
      { arrived: 0, sentAt: null, status: 'failed', error: 'account_restricted' },
      /^lost: .*account_restricted/,
    ],
    ['that still waits at the end', { arrived: 0, sentAt: null, status: 'queued' }, /^lost: /],
    ['that arrived twice', { arrived: 2 }, /^doubled: /],
    ['that came an hour later', { sentAt: NOW + HOUR }, /^late: .*1\.0 h/],
  ])('%s is one', (_, more, fault) => {
    expect(faults({ experiences: [experience(more)] })).toEqual([expect.stringMatching(fault)])
  })
  test('that waited for the end of a ban is none, unless it waited longer', () => {
    const waited = (hours: number) =>
      faults({ experiences: [experience({ sentAt: NOW + hours * HOUR })], closed: [ban] })
    expect(waited(48)).toEqual([])
    expect(waited(49)).toEqual([expect.stringMatching(/^late: /)])
  })
  test('has no reason to wait in a lock of strangers', () => {
    expect(faults({ experiences: [experience({ sentAt: NOW + 24 * HOUR })], closed: [lock] })).toHaveLength(1)
  })
})

describe('a status', () => {
  test.each<[string, Partial<Experience>]>([
    ['that says more than WhatsApp has told', { status: 'read', known: 'delivered' }],
    ['that says less', { status: 'sent', known: 'read' }],
    ['of what nobody has', { status: 'sent', known: 'nothing' }],
    ['of a failure that has arrived', { status: 'failed', known: 'sent' }],
  ])('%s is a fault', (_, more) => {
    expect(faults({ experiences: [experience({ who: 'stranger', ...more })] })).toEqual([
      expect.stringMatching(/^untrue: /),
    ])
  })
  test('that is as told is none', () => {
    const told = (['sent', 'delivered', 'read'] as const).map((known) => experience({ status: known, known }))
    expect(faults({ experiences: told })).toEqual([])
  })
})

test('what no client does is a fault', () => {
  expect(faults({ slips: ['2 stanzas without an answer'] })).toEqual(['slipped: 2 stanzas without an answer'])
})

test('a stranger may wait or be refused, but not get a message twice', () => {
  const stranger = (more: Partial<Experience>) => faults({ experiences: [experience({ who: 'stranger', ...more })] })
  expect(stranger({ arrived: 0, sentAt: null, status: 'failed' })).toEqual([])
  expect(stranger({ sentAt: NOW + 24 * HOUR })).toEqual([])
  expect(stranger({ arrived: 2 })).toEqual([expect.stringMatching(/^doubled/)])
})

test('reasons that overlap count once', () => {
  const one = experience({ sentAt: NOW + 10 * HOUR })
  const closed = [
    { ...ban, from: NOW - HOUR, until: NOW + 4 * HOUR },
    { ...ban, from: NOW + 3 * HOUR, until: NOW + 6 * HOUR },
    { ...ban, from: NOW + 5 * HOUR, until: NOW + 5.5 * HOUR },
    { ...ban, from: NOW + 9 * HOUR, until: NOW + 20 * HOUR },
  ]
  expect(unexplained(one, closed, END)).toBe(3 * HOUR)
})

test('an attempt while none is allowed is a fault', () => {
  expect(faults({ closed: [ban], attempts: [NOW - 1, ban.until, ban.until + 1] })).toEqual([])
  expect(faults({ closed: [ban], attempts: [NOW + HOUR] })).toEqual([
    expect.stringMatching(/1 connections during a ban/),
  ])
  expect(faults({ closed: [{ ...ban, mostAttempts: 3 }], attempts: [1, 2, 3].map((n) => NOW + n) })).toEqual([])
  expect(faults({ closed: [lock], attempts: [NOW + 1, NOW + 2] })).toEqual([])
})

describe('look-ups', () => {
  const wrong = (count: number, apart = 1_000, from = 0) =>
    Array.from({ length: count }, (_, n) => ({ at: from + n * apart, wrong: true }))
  test('closer than a second are a fault', () => {
    expect(faults({ lookUps: wrong(3, 999) })).toEqual([expect.stringMatching(/^looked up: 2 numbers/)])
  })
  test('after twenty wrong ones in a row are one, unless an hour has passed', () => {
    expect(faults({ lookUps: wrong(20) })).toEqual([])
    expect(faults({ lookUps: wrong(25) })).toEqual([expect.stringMatching(/5 more numbers/)])
    expect(faults({ lookUps: [...wrong(20), ...wrong(20, 1_000, 20_000 + HOUR)] })).toEqual([])
    expect(faults({ lookUps: [...wrong(19), { at: 19_000, wrong: false }, ...wrong(20, 1_000, 20_000)] })).toEqual([])
  })
})

test('the table has a line for each label', () => {
  const experiences = [
    experience({ sentAt: NOW + HOUR }),
    experience({ status: 'failed', error: 'expired', arrived: 0, sentAt: null }),
    experience({ label: 'offers', who: 'stranger', arrived: 0, sentAt: null, status: 'queued' }),
  ]
  expect(table(rows({ experiences }))).toBe(
    [
      'invoices  known     2  1 read, 1 failed (expired)  1  1.0 h',
      'offers    stranger  1  1 queued                    0  –',
    ].join('\n'),
  )
})
