import type { FailureCode } from '../../contract/failures.ts'
import type { Status } from '../../contract/messages.ts'
import { DAY, MINUTE } from '../../lib/time.ts'
import type { Message } from '../messages.ts'
import type { OutcomeCount, OutcomeStore } from '../outcomes.ts'
import type { Db, Remember } from './engine.ts'
import { integer, selecting, textOrNull } from './sql.ts'

// Every time zone begins its days on one.
const SLOT = 15 * MINUTE
const KEPT = 2 * DAY
// Older ones reach a status so seldom that they have an index of their own.
const OLDEST_MESSAGE = 8 * DAY
/** As in the condition of that index. */
const LATE = OLDEST_MESSAGE - KEPT
const ARRIVED: readonly Status[] = ['sent', 'delivered', 'read']

const slotOf = (ms: number): number => Math.floor(ms / SLOT) * SLOT

export interface OutcomeStatements extends OutcomeStore {
  noteAccepted(senderId: number, at: number): void
  noteChange(before: Message, after: Message): void
}

/** @param isSandbox its messages count nowhere */
export function createOutcomes(
  db: Db,
  remember: Remember,
  { now, isSandbox }: { now: () => number; isSandbox: (senderId: number) => boolean },
): OutcomeStatements {
  const slots = new Map<number, Map<string, OutcomeCount>>()

  function add(at: number, senderId: number, kind: OutcomeCount['kind'], reason: FailureCode | null, by: number): void {
    const slot = slotOf(at)
    const oldest = slotOf(now() - KEPT)
    if (slot < oldest || isSandbox(senderId)) return
    if (!slots.has(slot)) for (const old of [...slots.keys()]) if (old < oldest) slots.delete(old)
    const counts = slots.get(slot) ?? new Map<string, OutcomeCount>()
    slots.set(slot, counts)
    const key = `${senderId} ${kind} ${reason}`
    const count = (counts.get(key)?.count ?? 0) + by
    if (count > 0) counts.set(key, { at: slot, senderId, kind, reason, count })
    else counts.delete(key)
  }

  interface Found {
    at: number
    senderId: number
    reason: FailureCode | null
    count: number
  }
  const found = (time: string) => ({
    at: integer(`${time} / ${SLOT} * ${SLOT}`),
    senderId: integer('sender_id'),
    reason: textOrNull<FailureCode>(`json_extract(error, '$.code')`),
    count: integer('count(*)'),
  })
  // Read at a start. The plus keeps the planner from reading all messages of a status: those of a
  // few days are fewer.
  const accepted = selecting<Found>(
    db,
    found('created_at'),
  )<[number]>('FROM messages WHERE created_at >= ? GROUP BY 1, 2, 3')
  function ended(statuses: readonly Status[]) {
    const where = `+status IN (${statuses.map((status) => `'${status}'`).join(', ')}) AND occurred_at >= @from`
    const among = selecting<Found>(db, found('occurred_at'))<[{ oldest: number; from: number }]>
    return [
      among(`FROM messages WHERE ${where} AND created_at >= @oldest GROUP BY 1, 2, 3`),
      among(
        `FROM messages WHERE ${where} AND occurred_at - created_at > ${LATE} AND +created_at < @oldest GROUP BY 1, 2, 3`,
      ),
    ]
  }
  const sent = ended(ARRIVED)
  const failed = ended(['failed'])

  remember(['messages'], () => {
    const from = now() - KEPT
    const span = { from, oldest: now() - OLDEST_MESSAGE }
    const rows = {
      accepted: accepted.all(from),
      sent: sent.flatMap((each) => each.all(span)),
      failed: failed.flatMap((each) => each.all(span)),
    }
    slots.clear()
    for (const row of rows.accepted) add(row.at, row.senderId, 'accepted', null, row.count)
    for (const row of rows.sent) add(row.at, row.senderId, 'sent', null, row.count)
    for (const row of rows.failed) add(row.at, row.senderId, 'failed', row.reason, row.count)
  })

  return {
    noteAccepted: (senderId, at) => add(at, senderId, 'accepted', null, 1),
    noteChange(before, after) {
      if (after.status === before.status) return
      const was = ARRIVED.includes(before.status)
      const is = ARRIVED.includes(after.status)
      if (is && !was) add(after.occurredAt, after.senderId, 'sent', null, 1)
      if (was && !is) add(before.occurredAt, before.senderId, 'sent', null, -1)
      for (const [{ status, occurredAt, senderId, error }, by] of [
        [before, -1],
        [after, 1],
      ] as const) {
        if (status === 'failed') add(occurredAt, senderId, 'failed', error?.code ?? null, by)
      }
    },
    since: (ms) => [...slots].flatMap(([slot, counts]) => (slot >= slotOf(ms) ? [...counts.values()] : [])),
  }
}
