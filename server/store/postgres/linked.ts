import { blob, text } from '../columns.ts'
import type { SessionStore, SignalValue } from '../linked.ts'
import type { Context, Tx } from './sql.ts'

const VALUE = { value: blob('value') }

function writeKeys(tx: Tx, senderId: number, values: readonly SignalValue[]): void {
  // The last value of each key counts.
  const named = [...new Map(values.map((each) => [`${each.type}/${each.id}`, each])).values()]
  const gone = named.filter(({ value }) => value === null)
  const there = named.flatMap(({ type, id, value }) => (value === null ? [] : [{ type, id, value }]))
  if (gone.length > 0)
    void tx.run(
      'DELETE FROM signal_keys WHERE sender_id = $1 AND (type, id) IN (SELECT * FROM unnest($2::text[], $3::text[]))',
      [senderId, gone.map(({ type }) => type), gone.map(({ id }) => id)],
    )
  if (there.length > 0)
    void tx.run(
      `INSERT INTO signal_keys (sender_id, type, id, value)
       SELECT $1::bigint, * FROM unnest($2::text[], $3::text[], $4::bytea[])
       ON CONFLICT (sender_id, type, id) DO UPDATE SET value = excluded.value`,
      [senderId, there.map(({ type }) => type), there.map(({ id }) => id), there.map(({ value }) => value)],
    )
}

/**
 * Creates the store of sessions. Only the node that holds a sender may write, because WhatsApp ends
 * an identity that two programs use.
 */
export function createSessions({ db, write, fence }: Context): SessionStore {
  /** The last write of each sender. The next one begins when it has ended. */
  const newest = new Map<number, Promise<unknown>>()

  /** Runs a read after all earlier writes, so that it finds what they wrote. */
  async function afterWrites<T>(senderId: number, read: () => Promise<T>): Promise<T> {
    await newest.get(senderId)
    return read()
  }

  function inOrder(senderId: number, work: (tx: Tx) => void): Promise<void> {
    const before = newest.get(senderId) ?? Promise.resolve()
    const mine = before.then(() =>
      write(async (tx) => {
        fence(tx, senderId)
        work(tx)
      }),
    )
    const ended = mine
      .catch(() => undefined)
      .then(() => {
        if (newest.get(senderId) === ended) newest.delete(senderId)
      })
    newest.set(senderId, ended)
    return mine
  }

  return {
    async getKey(senderId, type, id) {
      const from = 'FROM signal_keys WHERE sender_id = $1 AND type = $2 AND id = $3'
      return (await afterWrites(senderId, () => db.one(VALUE, from, [senderId, type, id])))?.value
    },
    keysOf: (senderId, type) =>
      afterWrites(senderId, () =>
        db.rows({ id: text('id'), ...VALUE }, 'FROM signal_keys WHERE sender_id = $1 AND type = $2 ORDER BY id', [
          senderId,
          type,
        ]),
      ),
    setKeys: (senderId, values) => inOrder(senderId, (tx) => writeKeys(tx, senderId, values)),
    async credentials(senderId, generation) {
      const from = 'FROM credentials WHERE sender_id = $1 AND generation = $2'
      return (await afterWrites(senderId, () => db.one(VALUE, from, [senderId, generation])))?.value
    },
    change: (senderId, { keep, credentials, keys = [] }) =>
      inOrder(senderId, (tx) => {
        if (keep !== undefined) {
          void tx.run('DELETE FROM signal_keys WHERE sender_id = $1 AND type <> ALL ($2::text[])', [senderId, keep])
          void tx.run('DELETE FROM credentials WHERE sender_id = $1', [senderId])
        }
        if (credentials !== undefined)
          void tx.run(
            `INSERT INTO credentials (sender_id, generation, value, saved_at) VALUES ($1, $2, $3, $4)
             ON CONFLICT (sender_id, generation) DO UPDATE SET value = excluded.value, saved_at = excluded.saved_at`,
            [senderId, credentials.generation, credentials.value, credentials.at],
          )
        writeKeys(tx, senderId, keys)
      }),
  }
}
