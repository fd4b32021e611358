import { DAY, HOUR } from '../../lib/time.ts'
import type { Message } from '../messages.ts'
import type { Day, DayTallies, TalliedDay, Tally, TallyStore } from '../tallies.ts'
import type { Db, Engine, Tx, Write } from './engine.ts'
import { type Columns, integer, integerOrNull, type SqlValue, selecting, text, textOrNull } from './sql.ts'

/**
 * A day is counted an hour after its end at the earliest, and clocks of nodes differ by less than
 * half of it: what was accepted since then is of no day that is counted.
 */
const NEVER_COUNTED_BEFORE = HOUR / 2

/** With room for every change of a time zone. */
const LONGEST_DAY = 2 * DAY

const TALLIED_DAY: Columns<TalliedDay> = {
  since: integer('since'),
  until: integer('until'),
  talliedAt: integerOrNull('tallied_at'),
}

/** `since` is that of a day; null: of all days together, and only then is there a sender. */
interface Found extends Omit<Tally, 'senderId' | 'channel'> {
  since: number | null
  senderId: number | null
  channel: Tally['channel'] | null
}
const FOUND: Columns<Found> = {
  since: integerOrNull('since'),
  senderId: integerOrNull('sender_id'),
  channel: textOrNull('channel'),
  status: text('status'),
  reason: textOrNull("nullif(reason, '')"),
  count: integer('count'),
}

export interface TallyStatements extends TallyStore {
  /** In the transaction of a change. @param now before the transaction: it may run twice */
  noteChange(tx: Tx, before: Message, after: Message, now: number): void
  /** In the transaction that removes messages, before it does. */
  noteRemoved(tx: Tx, seqs: readonly number[]): void
}

export interface TalliesDeps {
  db: Db
  write: Write
  afterOpenWrites: Engine['afterOpenWrites']
  /** Its messages count nowhere. */
  isSandbox: (senderId: number) => boolean
}

export function createTallies({ db, write, afterOpenWrites, isSandbox }: TalliesDeps): TallyStatements {
  const known = selecting(db, TALLIED_DAY)
  const allDays = known('FROM tallied_days')
  const dayOf = known<[number, number]>('FROM tallied_days WHERE since = ? AND until = ?')
  const begin = db.prepare('INSERT OR IGNORE INTO tallied_days (since, until) VALUES (?, ?)')
  const done = db.prepare('UPDATE tallied_days SET tallied_at = ? WHERE since = ? AND until = ?')

  const adding = (rows: string) =>
    `INSERT INTO message_tallies (since, until, sender_id, channel, status, reason, count) ${rows}
     ON CONFLICT DO UPDATE SET count = count + excluded.count`
  const reasonOf = `iif(status = 'failed', ifnull(error ->> '$.code', ''), '')`
  const noSandbox = `sender_id NOT IN (SELECT id FROM senders WHERE kind = 'sandbox')`
  // In a statement of its own, which sees one moment: what is there, less what is counted of it.
  const countDay = db.prepare<[Day]>(
    adding(`SELECT @since, @until, sender_id, channel, status, reason, sum(count) FROM (
        SELECT sender_id, channel, status, ${reasonOf} AS reason, count(*) AS count FROM messages
        WHERE created_at >= @since AND created_at < @until AND ${noSandbox} GROUP BY sender_id, channel, status, reason
        UNION ALL SELECT sender_id, channel, status, reason, -count FROM message_tallies
        WHERE since = @since AND until = @until) AS difference
      WHERE true GROUP BY sender_id, channel, status, reason HAVING sum(count) <> 0`),
  )
  const addOne = db.prepare<[Record<string, SqlValue>]>(
    adding(`SELECT since, until, @senderId, @channel, @status, @reason, @by FROM tallied_days
      WHERE since <= @createdAt AND until > @createdAt AND since > @createdAt - ${LONGEST_DAY}`),
  )
  const takeBack = db.prepare<[{ seqs: string }]>(
    adding(`SELECT since, until, sender_id, channel, status, ${reasonOf} AS reason, -count(*) AS count FROM messages
      JOIN tallied_days ON created_at >= since AND created_at < until
      WHERE seq IN (SELECT CAST(value AS INTEGER) FROM json_each(@seqs)) AND ${noSandbox}
      GROUP BY since, until, sender_id, channel, status, reason`),
  )
  const forgets = ['message_tallies', 'tallied_days'].map((table) =>
    db.prepare<[number]>(`DELETE FROM ${table} WHERE until <= ?`),
  )

  // Days of another time zone may lie in the same span.
  const days = `FROM tallied_days d LEFT JOIN message_tallies t ON t.since = d.since AND t.until = d.until
    WHERE tallied_at IS NOT NULL AND d.since >= @since AND d.since < @until
      AND d.since || ' ' || d.until IN (SELECT value FROM json_each(@days))`
  const counted = selecting(
    db,
    FOUND,
  )<[Day & { days: string }]>(
    `FROM (SELECT d.since, NULL AS sender_id, NULL AS channel, ifnull(status, '') AS status, '' AS reason,
         ifnull(sum(count), 0) AS count ${days} GROUP BY d.since, status
       UNION ALL SELECT NULL, sender_id, channel, ifnull(status, ''), reason, ifnull(sum(count), 0) ${days}
       GROUP BY sender_id, channel, status, reason) AS found`,
  )

  function read(asked: readonly Day[]): DayTallies {
    const span = { since: asked[0]?.since ?? 0, until: asked.at(-1)?.until ?? 0 }
    const names = JSON.stringify(asked.map(({ since, until }) => `${since} ${until}`))
    const rows = counted.all({ ...span, days: names })
    const perDay = new Map<number, Found[]>()
    const groups: Tally[] = []
    for (const row of rows) {
      const { since, senderId, channel } = row
      if (since !== null) perDay.set(since, [...(perDay.get(since) ?? []), row])
      else if (senderId !== null && channel !== null && row.count > 0) groups.push({ ...row, senderId, channel })
    }
    return { days: perDay, groups }
  }

  return {
    of: async (asked) => read(asked),
    days: async () => allDays.all(),

    async count({ since, until, talliedAt }, at) {
      if (talliedAt === null) {
        await write(() => void begin.run(since, until))
        // A change that did not see the day in its list has noted nothing: it must be there when
        // messages are counted.
        if (!(await afterOpenWrites())) return false
      }
      return write(() => {
        const day = dayOf.get(since, until)
        if (day?.talliedAt === talliedAt) {
          countDay.run({ since, until })
          done.run(at, since, until)
        }
        return true
      })
    },

    forget: (ms) =>
      write(() => {
        for (const each of forgets) each.run(ms)
      }),

    noteChange(_tx, before, after, now) {
      if (now - before.createdAt < NEVER_COUNTED_BEFORE || isSandbox(after.senderId)) return
      const [was, is] = [before, after].map(keyOf)
      if (was === undefined || is === undefined || Object.entries(is).every(([name, value]) => was[name] === value))
        return
      addOne.run({ ...was, createdAt: before.createdAt, by: -1 })
      addOne.run({ ...is, createdAt: before.createdAt, by: 1 })
    },

    noteRemoved: (_tx, seqs) => void takeBack.run({ seqs: JSON.stringify(seqs) }),
  }
}

const keyOf = ({ senderId, channel, status, error }: Message): Record<string, SqlValue> => ({
  senderId,
  channel,
  status,
  reason: status === 'failed' ? (error?.code ?? '') : '',
})
