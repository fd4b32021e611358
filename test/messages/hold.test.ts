import { describe, expect, test } from 'vitest'
import type { MessageRow } from '../../server/contract/messages.ts'
import { holdOf, type QueueFacts } from '../../server/messages/view.ts'
import { startApp } from '../support/app.ts'
import { createTestClock } from '../support/clock.ts'

const NOW = Date.UTC(2026, 10, 21, 8)
const LATER = NOW + 60_000
const EVEN_LATER = NOW + 3_600_000

const message = { id: 'a', seq: 7, nextAt: NOW, dueAt: NOW, attempts: 0 }
const free: QueueFacts = {
  stoppedBy: null,
  gate: { at: NOW, heldBy: null },
  sending: { restrictedUntil: 0 },
  firstContacts: null,
  next: 7,
  isInFlight: () => false,
  heldByOwner: () => undefined,
}

describe('why a message waits', () => {
  test.each<[string, Partial<typeof message> | { nextAt: null }, Partial<QueueFacts>, ReturnType<typeof holdOf>]>([
    ['nothing holds it', {}, {}, { heldBy: null, until: null }],
    ['it is settled', { nextAt: null }, { stoppedBy: 'paused' }, { heldBy: null, until: null }],
    ['it is on its way', { nextAt: LATER, attempts: 1 }, { isInFlight: () => true }, { heldBy: null, until: null }],
    [
      'the owner is cancelling it',
      { nextAt: LATER, dueAt: LATER },
      { heldByOwner: () => 'cancelling', stoppedBy: 'paused' },
      { heldBy: 'cancelling', until: null },
    ],
    ['its own time', { nextAt: LATER, dueAt: LATER }, { stoppedBy: 'paused' }, { heldBy: 'delay', until: LATER }],
    ['paused', {}, { stoppedBy: 'paused' }, { heldBy: 'paused', until: null }],
    ['not connected', {}, { stoppedBy: 'not_connected' }, { heldBy: 'not_connected', until: null }],
    ['the PC sleeps', {}, { stoppedBy: 'suspended' }, { heldBy: 'suspended', until: null }],
    ['another phone', {}, { stoppedBy: 'other_phone' }, { heldBy: 'other_phone', until: null }],
    [
      'too many wrong numbers',
      { nextAt: LATER },
      { firstContacts: { until: LATER, heldBy: 'wrong_numbers', newChats: null } },
      { heldBy: 'wrong_numbers', until: LATER },
    ],
    [
      'a lock',
      { nextAt: LATER },
      { firstContacts: { until: LATER, heldBy: 'lock', newChats: null } },
      { heldBy: 'first_contacts', until: LATER },
    ],
    ['tried again', { nextAt: LATER, attempts: 1 }, {}, { heldBy: 'retry', until: LATER }],
    [
      'no new chats',
      { nextAt: EVEN_LATER },
      { sending: { restrictedUntil: EVEN_LATER } },
      { heldBy: 'first_contacts', until: EVEN_LATER },
    ],
    [
      'quiet hours, also behind others',
      {},
      { next: 3, gate: { at: LATER, heldBy: 'quiet_hours' } },
      { heldBy: 'quiet_hours', until: LATER },
    ],
    [
      'the cap of the day, also behind others',
      {},
      { next: 3, gate: { at: LATER, heldBy: 'daily_cap' } },
      { heldBy: 'daily_cap', until: LATER },
    ],
    ['pacing', {}, { gate: { at: LATER, heldBy: 'pacing' } }, { heldBy: 'pacing', until: LATER }],
    ['others come first', {}, { next: 3, gate: { at: LATER, heldBy: 'pacing' } }, { heldBy: 'queue', until: null }],
  ])('%s', (_why, its, facts, hold) => {
    expect(holdOf({ ...message, ...its }, { ...free, ...facts }, NOW)).toEqual(hold)
  })
})

test('lists and the page of a message say it, for callers and the owner', async () => {
  const clock = createTestClock()
  const app = await startApp({ clock })
  const code = await app.sender('sandbox', { pacing: { min_seconds: 60, max_seconds: 60 } })
  const key = await app.key({ sender: code })
  const send = async (more: object = {}) =>
    (await app.call<{ id: string }>(key, '/send', { phone: '6281234567890', message: 'Halo', ...more })).body.data.id
  const hold = ({ held_by, until }: MessageRow) => [held_by, until]

  const first = await send()
  await app.reached(first, 'sent')
  const second = await send()
  const third = await send()
  const own = await send({ delay: 7_200 })
  const shown = async () => (await app.call<MessageRow[]>(key, '/messages')).body.data.map(hold)
  const paced = new Date(clock.now() + 60_000).toISOString()
  const due = new Date(clock.now() + 7_200_000).toISOString()
  expect(await shown()).toEqual([
    ['delay', due],
    ['queue', null],
    ['pacing', paced],
    [null, null],
  ])
  expect(hold((await app.call<MessageRow>(key, `/messages/${own}`)).body.data)).toEqual(['delay', due])
  expect(hold((await app.owner<MessageRow>(`/api/messages/${third}`)).body.data)).toEqual(['queue', null])
  await app.owner(`/api/senders/${code}/pause`, { method: 'POST' })
  expect(hold((await app.owner<MessageRow>(`/api/messages/${second}`)).body.data)).toEqual(['paused', null])
  expect((await shown())[0]).toEqual(['delay', due])
})
