import { describe, expect, test } from 'vitest'
import type { Status } from '../../server/contract/messages.ts'
import type { Outcome } from '../../server/messages/channel.ts'
import { restrictionWait } from '../../server/messages/gates.ts'
import { afterOutcome, backToFirstRoad, cancelled, failed, RETRY } from '../../server/messages/status.ts'
import type { Message } from '../../server/store/index.ts'

const NOW = Date.UTC(2026, 10, 21, 8)
const HOUR = 3_600_000

const message = (status: Status, attempts: number): Message => ({
  seq: 1,
  id: 'm',
  senderId: 1,
  laneId: 1,
  channel: 'standard',
  recipient: '6281234567890',
  body: 'hi',
  file: null,
  filename: null,
  fileSha256: null,
  priority: 'normal',
  purpose: 'transactional',
  template: null,
  referenceId: null,
  metadata: null,
  unknownMembers: null,
  status,
  attempts,
  createdAt: NOW - 9_000,
  dueAt: NOW - 9_000,
  expiresAt: NOW + HOUR,
  dueNamed: false,
  endNamed: 'no',
  nextAt: NOW + 300_000,
  occurredAt: NOW,
  providerMessageId: '3EB0',
  pricing: null,
  recipientUserId: null,
  receipts: null,
  movedFrom: null,
  error: null,
})
const judge = (m: Message, outcome: Outcome, doubtful = false) =>
  afterOutcome(m, outcome, NOW, { retry: RETRY, doubtful })
const unknown: Outcome = { kind: 'unknown', reason: 'silence' }
const notSent: Outcome = { kind: 'not_sent', reason: '503' }

test('acknowledged is sent, whatever was thought before', () => {
  for (const status of ['sending', 'queued'] as const) {
    expect(judge(message(status, 1), { kind: 'acknowledged' })).toMatchObject({
      status: 'sent',
      nextAt: null,
      error: null,
      attemptEnds: { outcome: 'acknowledged' },
    })
  }
})

test.each(['sent', 'delivered', 'read', 'failed', 'cancelled'] as const)(
  'a message that is %s by then stays so',
  (status) => {
    for (const outcome of [{ kind: 'acknowledged' }, unknown, notSent, { kind: 'offline' }] as const)
      expect(judge(message(status, 1), outcome)).toBeNull()
  },
)

test('a receipt that came first is not made a failure by a refusal', () => {
  expect(judge(message('delivered', 1), { kind: 'refused', code: 'refused_by_whatsapp' })).toBeNull()
})

test('a refusal fails at once, with the code of WhatsApp', () => {
  const change = judge(message('sending', 1), { kind: 'refused', code: 'account_restricted', providerCode: '463' })
  expect(change).toMatchObject({
    status: 'failed',
    nextAt: null,
    error: { code: 'account_restricted', provider_code: '463' },
    attemptEnds: { outcome: 'refused', reason: '463' },
  })
})

test('a refusal does not deny that an earlier attempt may have arrived; that nobody is there does', () => {
  const refused: Outcome = { kind: 'refused', code: 'account_restricted', providerCode: '463' }
  expect(judge(message('sending', 2), refused, true)).toMatchObject({
    error: { code: 'not_acknowledged' },
    attemptEnds: { outcome: 'refused', reason: '463' },
  })
  const nobody: Outcome = { kind: 'refused', code: 'recipient_not_on_whatsapp' }
  expect(judge(message('sending', 2), nobody, true)).toMatchObject({ error: { code: 'recipient_not_on_whatsapp' } })
})

describe('five attempts over about ten minutes', () => {
  test.each([
    [1, 5_000],
    [2, 30_000],
    [3, 120_000],
    [4, 300_000],
  ])('after attempt %i the next follows %i ms later', (attempts, wait) => {
    for (const outcome of [unknown, notSent]) {
      const change = judge(message('sending', attempts), outcome)
      expect(change).toMatchObject({ nextAt: NOW + wait, attemptEnds: { outcome: outcome.kind } })
      expect(change?.status).toBeUndefined()
    }
  })

  test('the fifth is the last', () => {
    expect(judge(message('sending', 5), unknown)).toMatchObject({
      status: 'failed',
      nextAt: null,
      error: { code: 'not_acknowledged' },
    })
  })

  test('what certainly never left may be said so; what may have arrived in an earlier attempt may not', () => {
    expect(judge(message('sending', 5), notSent, false)).toMatchObject({ error: { code: 'send_failed' } })
    expect(judge(message('sending', 5), notSent, true)).toMatchObject({ error: { code: 'not_acknowledged' } })
  })
})

test('offline gives the attempt back and keeps the place in the queue', () => {
  const first = message('sending', 1)
  expect(judge(first, { kind: 'offline' })).toMatchObject({
    status: 'queued',
    nextAt: first.dueAt,
    attemptReturned: true,
  })
  const second = judge(message('sending', 2), { kind: 'offline' })
  expect(second).toMatchObject({ attemptReturned: true })
  expect(second?.status, 'the first attempt may have arrived').toBeUndefined()
})

test('failed is taken only below delivered', () => {
  const takes = (status: Status) => failed(message(status, 1), 'expired', NOW) !== null
  expect((['queued', 'sending', 'accepted', 'sent'] as const).every(takes)).toBe(true)
  expect((['delivered', 'read', 'failed', 'cancelled'] as const).some(takes)).toBe(false)
})

test('the wait of first contacts doubles up to a day', () => {
  expect([1, 2, 3, 4, 5, 6, 60].map((n) => restrictionWait(n) / HOUR)).toEqual([1, 2, 4, 8, 16, 24, 24])
})

test('what has not left by its second road gives its place back in the month in which it took that road', () => {
  const [november, december] = [new Date(2026, 10, 30, 23).getTime(), new Date(2026, 11, 1, 9).getTime()]
  const place = [{ kind: 'second_road', month: '2026-11', by: -1 }]
  const waiting = { ...message('queued', 1), laneId: 2, channel: 'template', occurredAt: november } as const
  expect(cancelled(waiting, december)?.also).toEqual(place)
  expect(failed(waiting, 'expired', december)?.also).toEqual(place)
  expect(backToFirstRoad(waiting, december)?.also).toEqual(place)
  expect(failed({ ...waiting, status: 'sending' }, 'outcome_unknown', december)?.also).toEqual([])
  expect(cancelled(message('queued', 0), december)?.also).toEqual([])
})
