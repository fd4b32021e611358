import { ApiError, passes } from '../../contract/errors.ts'
import { mayHaveArrived, worthSendingAgain } from '../../contract/failures.ts'
import type { SendRequest } from '../../contract/send.ts'
import type { Background } from '../../lib/background.ts'
import { SECOND } from '../../lib/clock.ts'
import { acceptMessage, prepareMessage } from '../../messages/accept.ts'
import { cancelMessage, wasSentAgain } from '../../messages/actions.ts'
import type { MessageContext } from '../../messages/context.ts'
import { withFile } from '../../messages/files.ts'
import { NOTHING_AS_SENT } from '../../messages/new-message.ts'
import type { NewMessage } from '../../store/index.ts'
import { eachPortion, PORTION } from './check.ts'
import type { TableContext } from './context.ts'
import { type RowRefusal, UNDO_WITHIN } from './contract.ts'
import { judgeRow } from './judge.ts'
import { type LoadedPlan, loadPlan, messageIdOf } from './plans.ts'
import type { TableLine, TableMark, TableRow, TableStore } from './store.ts'

/**
 * Does the remaining work of a table: accepts its rows, or takes their messages out of the queue.
 * Every step may be repeated, because the id of a row's message is derived from the table.
 * Resolves with true if nothing is left to do in the table's state.
 */
async function settleTable(context: TableContext, table: TableRow): Promise<boolean> {
  if (table.state === 'going') return acceptAll(context, table)
  if (table.state === 'paused' || table.state === 'cancelled') await takeBack(context, table)
  return table.state !== 'planned'
}

const markOf = ({ row, tries }: TableLine, change: Partial<TableMark>): TableMark => ({
  ...{ row, tries, messageId: null, refusal: null, taken: false },
  ...change,
})

/** Resolves with true if all rows are done. */
async function acceptAll(context: TableContext, table: TableRow): Promise<boolean> {
  const { tables, turns, stopping } = context
  const plan = await loadPlan(context, table)
  for (let after: number | null = 0; after !== null; ) {
    if (stopping.signal.aborted || (await tables.find(table.id))?.state !== 'going') return false
    const from: number = after
    after = await turns.run('table', () => acceptPortion(context, table, from, plan))
  }
  return true
}

type Step = { line: TableLine; mark: TableMark } | { line: TableLine; message: NewMessage }

async function acceptPortion(context: TableContext, table: TableRow, after: number, plan: LoadedPlan) {
  const { messaging, tables } = context
  const lines = await tables.waiting(table.id, after, PORTION)
  const steps: Step[] = []
  // One after the other, so that messages are accepted in the order of the table.
  for (const line of lines) steps.push(await prepareRow(messaging, table, line, plan))
  await markAll(
    tables,
    table,
    await Promise.allSettled(steps.map(async (step) => ('mark' in step ? step.mark : acceptRow(messaging, step)))),
  )
  return lines.length === PORTION ? (lines.at(-1)?.row ?? null) : null
}

function requestOf({ prepared, stored: { ttl } }: LoadedPlan, line: TableLine) {
  const { plan } = prepared
  const judged = judgeRow(prepared, line.cells)
  if (!judged.ok) return judged
  const { phone, group, message, fileId, filename } = judged.message
  const request: SendRequest = {
    ...{ phone, group, message, ttl, delay: 0, purpose: plan.purpose, priority: 'low' },
    ...(fileId === undefined ? {} : { file_id: fileId, filename }),
    ...(plan.send_at === null ? {} : { send_at: plan.send_at }),
  }
  return { ok: true as const, request }
}

/** Prepares a row's message, or returns the mark of a row that has one already or gets none. */
async function prepareRow(
  messaging: MessageContext,
  table: TableRow,
  line: TableLine,
  plan: LoadedPlan,
): Promise<Step> {
  const id = messageIdOf(table, line)
  // A crash separated the message from the mark of its row.
  if ((await messaging.store.messages.find({ id })) !== undefined)
    return { line, mark: markOf(line, { messageId: id }) }
  const asked = requestOf(plan, line)
  if (!asked.ok) return { line, mark: markOf(line, { refusal: JSON.stringify(asked.refusal) }) }
  const { request } = asked
  const origin = { sender: plan.prepared.sender, key: null }
  try {
    const message = await withFile(messaging.files, request, null, (attached) =>
      prepareMessage({ ...messaging, newId: () => id }, origin, request, NOTHING_AS_SENT, attached),
    )
    return { line, message }
  } catch (error) {
    return { line, mark: refused(line, error) }
  }
}

/** @throws `error` if it is temporary */
function refused(line: TableLine, error: unknown): TableMark {
  if (!(error instanceof ApiError) || passes(error)) throw error
  return markOf(line, { refusal: JSON.stringify(refusalOf(error, line.cells.join(' ').slice(0, 200))) })
}

function refusalOf(error: ApiError, value: string): RowRefusal {
  if (error.code === 'recipient_opted_out') return { code: 'opted_out', value }
  if (error.code === 'group_no_marketing') return { code: 'group_no_marketing', value }
  if (error.extras.details?.some(({ field }) => field === 'file_id')) return { code: 'file_gone', value }
  return { code: 'refused', value: error.message.slice(0, 200) }
}

async function acceptRow(
  messaging: MessageContext,
  { line, message }: { line: TableLine; message: NewMessage },
): Promise<TableMark> {
  const { id } = message
  try {
    await acceptMessage(messaging, message, { key: null })
    return markOf(line, { messageId: id })
  } catch (error) {
    // Another node may have accepted the message first.
    if ((await messaging.store.messages.find({ id })) !== undefined) return markOf(line, { messageId: id })
    return refused(line, error)
  }
}

/** Stores the marks of finished rows, then throws the first error of the others. */
async function markAll(
  tables: TableStore,
  table: TableRow,
  marks: readonly PromiseSettledResult<TableMark>[],
): Promise<void> {
  await tables.mark(
    table.id,
    marks.flatMap((each) => (each.status === 'fulfilled' ? each.value : [])),
  )
  for (const each of marks) if (each.status === 'rejected') throw each.reason
}

/** Cancels queued messages. In a paused table their rows are free to be sent later. */
async function takeBack(context: TableContext, table: TableRow): Promise<void> {
  const { messaging, tables } = context
  await eachPortion(context, table, async (lines) => {
    // A message that was attempted may have arrived, so it stays in the queue.
    const inQueue = (line: TableLine) => line.status === 'queued' && line.attempts === 0
    const chosen = lines.filter((line) => line.taken || inQueue(line))
    if (chosen.length === 0) return
    // Stored first, so that after a crash it is known that the table cancelled these messages.
    await tables.mark(
      table.id,
      chosen.map((line) => markOf(line, { messageId: line.messageId, taken: true })),
    )
    await markAll(tables, table, await Promise.allSettled(chosen.map((line) => takeRow(messaging, table, line))))
  })
}

async function takeRow(messaging: MessageContext, { state }: TableRow, line: TableLine): Promise<TableMark> {
  const id = line.messageId ?? ''
  await cancelMessage(messaging, id).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
  })
  const message = await messaging.store.messages.find({ id })
  const isFree = message?.status === 'cancelled' && message.attempts === 0
  if (state === 'paused' && isFree) return markOf(line, { tries: line.tries + 1 })
  return markOf(line, { messageId: line.messageId })
}

/** Frees rows with failed messages for which another attempt makes sense. */
export async function freeFailed(context: TableContext, table: TableRow): Promise<void> {
  const { store } = context.messaging
  await eachPortion(context, table, async (lines) => {
    const marks: TableMark[] = []
    for (const line of lines) {
      const { messageId, status, error } = line
      if (messageId === null || status !== 'failed' || error === null) continue
      if (mayHaveArrived(error.code) || !worthSendingAgain(error.code)) continue
      const message = await store.messages.find({ id: messageId })
      if (message === undefined || (await wasSentAgain(store, message, message.recipient, ['cancelled'])) !== null)
        continue
      marks.push(markOf(line, { tries: line.tries + 1 }))
    }
    if (marks.length > 0) await context.tables.mark(table.id, marks)
  })
}

// Wait after a temporary error, such as a full disk or queue.
const REST = 30 * SECOND

/** Works on tables one after the other. Each continues where the last run of Kurir stopped. */
export function createRunner(context: TableContext, background: Background) {
  const { tables, stopping, clock, logger } = context
  let working: Promise<void> | undefined
  let isWanted = false

  /**
   * Returns the milliseconds in which the table can be undone, at most UNDO_WITHIN even if the
   * clock was set.
   */
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

  /**
   * Marks the table as busy again. Another node may have stopped it without seeing the rows that
   * were being queued here.
   */
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
      // Oldest first.
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
    /** Resolves when the work in progress has ended. */
    stopped: async () => working,
  }
}
