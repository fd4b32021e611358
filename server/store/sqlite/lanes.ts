import { localDay } from '../../lib/local-time.ts'
import type { Db } from './database.ts'
import type { Write } from './group-commit.ts'

/** What a lane must remember over a restart. Times are milliseconds since 1970. */
export interface LaneState {
  pacedUntil: number
  /** Local day that `sentOnDay` counts. */
  day: string
  sentOnDay: number
  lastSentAt: number | null
  /** WhatsApp refuses first contacts (463) until then. */
  restrictedUntil: number
  /** Restrictions in a row; the wait grows with them. */
  restrictions: number
}

const EMPTY: LaneState = { pacedUntil: 0, day: '', sentOnDay: 0, lastSentAt: null, restrictedUntil: 0, restrictions: 0 }

export type Lanes = ReturnType<typeof createLaneStates>

export function createLaneStates(db: Db, write: Write) {
  const select = db.prepare<[number], LaneState>(
    `SELECT paced_until AS pacedUntil, day, sent_on_day AS sentOnDay, last_sent_at AS lastSentAt,
       restricted_until AS restrictedUntil, restrictions FROM lanes WHERE sender_id = ?`,
  )
  const put = db.prepare(
    `INSERT OR REPLACE INTO lanes (sender_id, paced_until, day, sent_on_day, last_sent_at, restricted_until, restrictions)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const get = (senderId: number): LaneState => select.get(senderId) ?? EMPTY

  /** For use inside a transaction of a message. */
  function set(senderId: number, change: Partial<LaneState>): void {
    const s = { ...get(senderId), ...change }
    put.run(senderId, s.pacedUntil, s.day, s.sentOnDay, s.lastSentAt, s.restrictedUntil, s.restrictions)
  }

  /** One more of this day, for use inside a transaction. */
  function countSend(senderId: number, at: number): void {
    const state = get(senderId)
    const day = localDay(at)
    set(senderId, { day, sentOnDay: (state.day === day ? state.sentOnDay : 0) + 1 })
  }

  return {
    get,
    set,
    countSend,
    save: (senderId: number, change: Partial<LaneState>) => write(() => set(senderId, change)),
  }
}
