import { ApiError } from '../../contract/errors.ts'
import type { Background } from '../../lib/background.ts'
import { SECOND } from '../../lib/time.ts'
import type { TableContext } from './context.ts'
import { UNDO_WITHIN } from './contract.ts'
import type { TableRow } from './store.ts'
import { settleTable } from './worker.ts'

// After an error that passes: a full disk, a full queue.
const REST = 30 * SECOND

/** Sends tables one after the other; each goes on where the last run of the program stopped. */
export function createRunner(context: TableContext, background: Background) {
  const { tables, stopping, clock, logger } = context
  let working: Promise<void> | undefined
  let isWanted = false

  /** How long it can still be undone; a clock that was set makes it no longer. */
  function undoEnds({ plannedAt }: TableRow): number {
    const left = (plannedAt ?? 0) + UNDO_WITHIN - clock.now()
    return Math.min(Math.max(left, 0), UNDO_WITHIN)
  }

  async function settle(table: TableRow): Promise<void> {
    if (table.state === 'planned') {
      const left = undoEnds(table)
      if (left > 0) return background.later(`table ${table.id}`, left, async () => wake())
      if (!(await tables.move(table.id, 'planned', { state: 'going', busy: true, at: clock.now() }))) return
      return settle({ ...table, state: 'going' })
    }
    try {
      const isThrough = await settleTable(context, table)
      const change = { state: table.state, busy: false, at: clock.now() }
      if (!isThrough || !(await tables.move(table.id, table.state, change))) await lookAgain(table)
    } catch (error) {
      if (error instanceof ApiError && error.code === 'sender_not_found') {
        await tables.move(table.id, table.state, { state: 'cancelled', busy: false, at: clock.now() })
        return
      }
      logger.warn({ err: error, table: table.id }, 'a table could not go on')
      background.later('tables again', REST, async () => wake())
    }
  }

  /** Another node that stopped a table saw nothing of the rows that were being queued here. */
  async function lookAgain({ id }: TableRow): Promise<void> {
    const state = stopping.signal.aborted ? undefined : (await tables.find(id))?.state
    if (state === undefined) return
    await tables.move(id, state, { state, busy: true, at: clock.now() })
    isWanted = true
  }

  async function work(): Promise<void> {
    while (isWanted && !stopping.signal.aborted) {
      isWanted = false
      const busy = (await tables.list()).filter((table) => table.busy)
      // The oldest first.
      for (const table of busy.toReversed()) if (!stopping.signal.aborted) await settle(table)
    }
  }

  function wake(): void {
    isWanted = true
    working ??= work()
      .catch((error: unknown) => {
        logger.warn({ err: error }, 'tables could not be read')
        background.later('tables again', REST, async () => wake())
      })
      .finally(() => {
        working = undefined
        if (isWanted && !stopping.signal.aborted) wake()
      })
  }

  return {
    wake,
    /** Resolves when nothing is sent any more. */
    stopped: async () => working,
  }
}
