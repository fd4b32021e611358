import type { SenderEvent } from '../events.ts'
import { insertSender, type KeptSenders, SENDER, type SenderStore, updateSender } from '../senders.ts'
import { bound } from '../statements.ts'
import type { Events } from './events.ts'
import type { Tx } from './group-commit.ts'
import { type Context, selecting } from './sql.ts'

export function changingSenders({ db, write, run }: Context, events: Events, { reload, added }: KeptSenders) {
  const one = selecting(db, SENDER)<[number]>('FROM senders WHERE deleted_at IS NULL AND id = ?')
  const announce = (tx: Tx, event: SenderEvent | undefined): number[] =>
    event === undefined ? [] : events.announce(tx, { ...event, messageSeq: null })

  async function changing<T>(work: (tx: Tx) => T): Promise<T> {
    const result = await write(work)
    await reload()
    return result
  }

  return {
    async add(sender, seal) {
      const id = await write(() => {
        const own = run.insert(insertSender(sender))
        if (seal !== undefined) run(bound('UPDATE senders SET secrets = $2 WHERE id = $1', own, seal(own)))
        return own
      })
      return added(id)
    },
    change: (id, decide) =>
      changing((tx) => {
        const before = one.get(id)
        const change = before === undefined ? null : decide(before)
        if (before === undefined || change === null) return undefined
        const { event, ...columns } = change
        run(updateSender({ ...before, ...columns }))
        return announce(tx, event)
      }),
    remove: (id, at, event) =>
      changing((tx) => {
        const removed = run(
          bound('UPDATE senders SET deleted_at = $2, secrets = NULL WHERE id = $1 AND deleted_at IS NULL', id, at),
        )
        // Announce once, even if two windows delete the sender at the same time.
        return removed > 0 ? announce(tx, event) : []
      }),
  } satisfies Partial<SenderStore>
}
