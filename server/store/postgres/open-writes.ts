import type { Pool } from './pool.ts'

const WAITED_FOR = 2_000
const ASKED_EVERY = 20

// A transaction that changes or removes a message holds such a lock until it ends, and takes it
// before it looks which days are counted. Those of other databases of the server are not waited
// for.
const WRITERS = `SELECT virtualtransaction AS writer FROM pg_locks
  WHERE locktype = 'relation' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND relation IN ('messages'::regclass, 'message_tallies'::regclass) AND mode = 'RowExclusiveLock' AND granted`

/**
 * Waits until every transaction has ended that writes messages and is open at the call; false where
 * one takes long.
 */
export async function afterOpenWrites(pool: Pool): Promise<boolean> {
  const writers = async () => (await pool.query<{ writer: string }>(WRITERS)).rows.map(({ writer }) => writer)
  let open = await writers()
  for (const until = Date.now() + WAITED_FOR; open.length > 0 && Date.now() < until; ) {
    await new Promise((resolve) => setTimeout(resolve, ASKED_EVERY))
    const still = new Set(await writers())
    open = open.filter((writer) => still.has(writer))
  }
  return open.length === 0
}
