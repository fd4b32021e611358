import { integer } from '../columns.ts'
import type { Context } from './sql.ts'

interface Waiting {
  of(senderId: number): number
  add(senderId: number, by: number): void
  /**
   * Messages that are being accepted, with the lanes in which they will wait: a count may see their
   * rows or not, so it leaves them out.
   */
  coming: Map<string, number>
}

/**
 * How many messages wait in each lane. Counting a long queue with every accept would read it: rows
 * are counted now and then, and changes are added.
 */
export function createWaiting({ db, remember }: Context): Waiting {
  let counted = new Map<number, number>()
  let changes = new Map<number, number>()
  /** Changes since the count that is under way began. */
  let meanwhile: Map<number, number> | undefined
  const coming = new Map<string, number>()

  function addTo(counts: Map<number, number>, senderId: number, by: number): void {
    counts.set(senderId, (counts.get(senderId) ?? 0) + by)
  }

  remember([], async () => {
    const begun = new Map<number, number>()
    meanwhile = begun
    for (const senderId of coming.values()) addTo(begun, senderId, 1)
    // In one statement, which sees one moment: what waits, less those of these ids.
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
