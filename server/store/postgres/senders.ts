import type { SenderEvent } from '../events.ts'
import { insertSender, type KeptSenders, SENDER, type SenderStore, updateSender } from '../senders.ts'
import type { Events } from './events.ts'
import { type Context, insertRow, runBound, type Tx } from './sql.ts'

export function changingSenders({ write, fence }: Context, events: Events, { reload, added }: KeptSenders) {
  async function changing<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const result = await write((tx) => {
      tx.changed('senders')
      return work(tx)
    })
    await reload()
    return result
  }

  const announce = async (tx: Tx, event: SenderEvent | undefined): Promise<number[]> =>
    event === undefined ? [] : events.announce(tx, { ...event, messageSeq: null })

  return {
    async add(sender, seal) {
      const id = await write(async (tx) => {
        tx.changed('senders')
        const own = await insertRow(tx, insertSender(sender))
        if (seal !== undefined) void tx.run('UPDATE senders SET secrets = $2 WHERE id = $1', [own, seal(own)])
        return own
      })
      return added(id)
    },
    change: (id, decide, isFenced = false) =>
      changing(async (tx) => {
        if (isFenced) fence(tx, id)
        const from = 'FROM senders WHERE deleted_at IS NULL AND id = $1 FOR NO KEY UPDATE'
        const before = await tx.one(SENDER, from, [id])
        const change = before === undefined ? null : decide(before)
        if (before === undefined || change === null) return undefined
        const { event, ...columns } = change
        void runBound(tx, updateSender({ ...before, ...columns }))
        return announce(tx, event)
      }),
    remove: (id, at, event) =>
      changing(async (tx) => {
        // Wait for accepts that have found the sender, which an UPDATE alone would not do.
        void tx.run('SELECT 1 FROM senders WHERE id = $1 FOR UPDATE', [id])
        // Announce once, even if two windows delete the sender at the same time.
        const isNews = await tx.run(
          'UPDATE senders SET deleted_at = $2, secrets = NULL WHERE id = $1 AND deleted_at IS NULL',
          [id, at],
        )
        return isNews > 0 ? announce(tx, event) : []
      }),
  } satisfies Partial<SenderStore>
}
