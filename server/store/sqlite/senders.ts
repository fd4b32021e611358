import type { SenderEvent } from '../events.ts'
import { addedSender, insertSender, SENDER, type SenderStore, updateSender } from '../senders.ts'
import { bound } from '../statements.ts'
import type { Events } from './events.ts'
import type { Tx } from './group-commit.ts'
import { type Context, selecting } from './sql.ts'

/** @param reload reads them into memory again */
export function changingSenders({ db, write, run }: Context, events: Events, reload: () => Promise<void>) {
  const one = selecting(db, SENDER)<[number]>('FROM senders WHERE deleted_at IS NULL AND id = ?')
  const announce = (tx: Tx, event: SenderEvent | undefined): number[] =>
    event === undefined ? [] : events.insert(tx, { ...event, messageSeq: null }).map(({ endpointId }) => endpointId)

  async function changing<T>(work: (tx: Tx) => T): Promise<T> {
    const result = await write(work)
    await reload()
    return result
  }

  return {
    add: (sender, seal) =>
      changing(() => {
        const id = run.insert(insertSender(sender))
        const secrets = seal === undefined ? null : seal(id)
        if (secrets !== null) run(bound('UPDATE senders SET secrets = $2 WHERE id = $1', id, secrets))
        return addedSender(sender, id, secrets)
      }),
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
        // Deleted in two windows at once, it is unlinked once.
        return removed > 0 ? announce(tx, event) : []
      }),
  } satisfies Partial<SenderStore>
}
