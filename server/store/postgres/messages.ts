import { PRIORITIES } from '../../contract/messages.ts'
import { integer } from '../columns.ts'
import { noteChange, noteSecondRoad } from '../figures.ts'
import { changed, eventOf, partsOf, refusedTwice, statementOf } from '../message-changes.ts'
import { MESSAGE, type QueueStore, UPDATED } from '../message-reads.ts'
import type { Accepted, Also, Change, Changed, Message, MessageStore, Urgency } from '../messages.ts'
import { type KeptSenders, NOTHING_SENT, putSendingState, SENDING_STATE, type SendingState } from '../senders.ts'
import { acceptAll, type Job } from './accept.ts'
import type { Events } from './events.ts'
import { messageBy, subjectOf } from './message-reads.ts'
import { type Context, runBound, type Tx, updateChanged } from './sql.ts'

interface Waiting {
  of(senderId: number): number
  add(senderId: number, by: number): void
  /**
   * Messages that are just being accepted, with the lanes in which they will wait. A count may or
   * may not see their rows, so it leaves them out.
   */
  coming: Map<string, number>
}

/**
 * Counts waiting messages by lane. Counting a long queue with every accept would be slow, so rows
 * are counted now and then, and changes are added.
 */
function createWaiting({ db, remember }: Context): Waiting {
  let counted = new Map<number, number>()
  let changes = new Map<number, number>()
  /** Changes since the running count began. */
  let meanwhile: Map<number, number> | undefined
  const coming = new Map<string, number>()

  function addTo(counts: Map<number, number>, senderId: number, by: number): void {
    counts.set(senderId, (counts.get(senderId) ?? 0) + by)
  }

  remember([], async () => {
    const begun = new Map<number, number>()
    meanwhile = begun
    for (const senderId of coming.values()) addTo(begun, senderId, 1)
    // One statement, which sees one moment: all waiting rows, minus those of the messages in
    // `coming`.
    const rows = await db.rows(
      { senderId: integer('lane_id'), count: integer('count') },
      `FROM (SELECT lane_id, count(*) AS count FROM messages WHERE next_at IS NOT NULL GROUP BY lane_id
         UNION ALL SELECT lane_id, -count(*) FROM messages
         WHERE id = ANY ($1::text[]) AND next_at IS NOT NULL GROUP BY lane_id) AS counted`,
      [[...coming.keys()]],
    )
    counted = new Map()
    for (const { senderId, count } of rows) addTo(counted, senderId, count)
    changes = begun
    meanwhile = undefined
  })

  return {
    of: (senderId) => (counted.get(senderId) ?? 0) + (changes.get(senderId) ?? 0),
    add(senderId, by) {
      addTo(changes, senderId, by)
      if (meanwhile !== undefined) addTo(meanwhile, senderId, by)
    },
    coming,
  }
}

export async function updateSendingState(
  tx: Tx,
  senderId: number,
  next: (state: SendingState) => SendingState,
): Promise<void> {
  // Insert a row to lock, so that neither of two first changes is lost.
  void tx.run('INSERT INTO sending_state (sender_id) VALUES ($1) ON CONFLICT DO NOTHING', [senderId])
  const state = next(
    (await tx.one(SENDING_STATE, 'FROM sending_state WHERE sender_id = $1 FOR NO KEY UPDATE', [senderId])) ??
      NOTHING_SENT,
  )
  void runBound(tx, putSendingState({ senderId, ...state }))
}

async function writeAlso(tx: Tx, message: Message, also: Also, now: number): Promise<void> {
  if (also.kind === 'sending_state') return updateSendingState(tx, message.laneId, also.update)
  if (also.kind === 'second_road') return noteSecondRoad(tx.noted, message.senderId, also.month, also.by)
  const { sql, values } = statementOf(message, also, now)
  void tx.run(sql, values)
}

/** Creates the transitions of messages, and counts how many wait because of them. */
export function createMessageWrites(context: Context, events: Events, senders: KeptSenders) {
  const { write, now, fence } = context
  const { isSandbox } = senders
  const waiting = createWaiting(context)
  const acceptTogether = context.writeTogether<Job, Accepted>((tx, jobs) => acceptAll(tx, jobs, isSandbox))

  async function apply(tx: Tx, before: Message, change: Change): Promise<Changed> {
    const after = changed(before, change)
    updateChanged(tx, 'messages', UPDATED, before, after, ['seq', after.seq])
    for (const { sql, values } of partsOf(before, after, change)) void tx.run(sql, values)
    const event = eventOf(before, after, change, senders.reads.codeOf)
    const endpoints = event === null ? [] : await events.announce(tx, event)
    // Rows that messages share come last, because they stay locked until the commit, which follows
    // at once.
    for (const also of change.also ?? []) await writeAlso(tx, before, also, now())
    if (!isSandbox(after.senderId)) noteChange(tx.noted, before, after, change.at)
    return { before, after, endpoints }
  }

  const messages = {
    async accept(message, options) {
      const counts = message.nextAt === null ? 0 : 1
      // Count before the message is on disk, so that simultaneous accepts cannot exceed the limit
      // together.
      waiting.add(message.laneId, counts)
      if (counts > 0) waiting.coming.set(message.id, message.laneId)
      let accepted: Accepted | undefined
      try {
        const names = refusedTwice(message, options)
        const { idempotency: key } = options
        const apart = key === undefined ? names : [`key ${key.scope} ${key.key}`, ...names]
        accepted = await acceptTogether({ message, options }, apart)
        return accepted
      } finally {
        waiting.coming.delete(message.id)
        if (accepted?.kind !== 'accepted') waiting.add(message.laneId, -counts)
      }
    },

    async change(ref, decide, _urgency?: Urgency, isFenced = false) {
      const [from, values] = messageBy(ref)
      const result = await write(async (tx) => {
        const before = await tx.one(MESSAGE, `${from} FOR NO KEY UPDATE OF m`, values)
        const change = before === undefined ? null : decide(before)
        if (before === undefined || change === null) return undefined
        if (isFenced) fence(tx, before.laneId)
        return apply(tx, before, change)
      }, subjectOf(ref))
      if (result !== undefined) {
        if (result.before.nextAt !== null) waiting.add(result.before.laneId, -1)
        if (result.after.nextAt !== null) waiting.add(result.after.laneId, 1)
      }
      return result
    },
  } satisfies Partial<MessageStore>

  const queues = {
    waiting: waiting.of,
    release: (laneId, at, limit) =>
      write((tx) =>
        tx.run(
          `UPDATE messages SET next_at = due_at WHERE seq IN (SELECT seq FROM messages
             WHERE lane_id = $1 AND priority = ANY (ARRAY[${[...PRIORITIES.keys()]}]) AND next_at > $2
               AND status = 'queued' AND due_at <= $2 ORDER BY priority LIMIT $3)`,
          [laneId, at, limit],
        ),
      ),
  } satisfies Partial<QueueStore>

  return { messages, queues }
}
