import { expect, test } from 'vitest'
import { STATUSES, type Status } from '../../server/contract/messages.ts'
import { mayBecome } from '../../server/messages/status.ts'
import { startLanes } from '../support/lane.ts'

const ALLOWED: Record<Status, Status[]> = {
  queued: ['sending', 'sent', 'delivered', 'read', 'failed', 'cancelled'],
  sending: ['queued', 'accepted', 'sent', 'delivered', 'read', 'failed'],
  accepted: ['sent', 'delivered', 'read', 'failed'],
  sent: ['delivered', 'read', 'failed'],
  failed: ['delivered', 'read'],
  delivered: ['read'],
  read: [],
  cancelled: [],
}
const RANK: Record<Status, number> = {
  queued: 0,
  sending: 1,
  accepted: 1,
  sent: 2,
  failed: 3,
  delivered: 4,
  read: 5,
  cancelled: 6,
}

test.each(STATUSES)('from %s only what the table allows', (from) => {
  expect(STATUSES.filter((to) => mayBecome(from, to)).toSorted()).toEqual(ALLOWED[from].toSorted())
})

test('ranks only rise, but for a message that certainly did not leave', () => {
  for (const from of STATUSES) {
    for (const to of STATUSES.filter((status) => mayBecome(from, status))) {
      if (from === 'sending' && (to === 'queued' || to === 'accepted')) continue
      expect(RANK[to], `${from} → ${to}`).toBeGreaterThan(RANK[from])
    }
  }
})

test('reports in any order, late and twice, never lower a message, and each status is reported once', async () => {
  const lane = await startLanes()
  lane.script.ready = false
  let seed = 7
  const random = (n: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return seed % n
  }
  const reports = ['sent', 'delivered', 'read', 'failed'] as const
  for (let round = 0; round < 60; round += 1) {
    const id = await lane.accept(`round ${round}`)
    let rank = 0
    for (let n = 0; n < 8; n += 1) {
      const status = reports[random(reports.length)] ?? 'sent'
      await lane.run.record.report({ id }, { status, at: lane.clock.now() })
      const now = RANK[(await lane.message(id)).status]
      expect(now).toBeGreaterThanOrEqual(rank)
      rank = now
    }
    const reported = (await lane.run.store.events.ofMessage((await lane.message(id)).seq)).map((event) => event.type)
    expect(new Set(reported).size).toBe(reported.length)
    expect((await lane.message(id)).nextAt).toBeNull()
  }
})
