import { ApiError } from '../contract/errors.ts'
import { mayHaveArrived, worthSendingAgain } from '../contract/failures.ts'
import type { SendRequest } from '../contract/send.ts'
import type { Turns } from '../lib/turns.ts'
import { type AcceptContext, type Attach, acceptMessage, prepareMessage } from '../messages/accept.ts'
import type { MessageActions } from '../messages/actions.ts'
import { NOTHING_AS_SENT } from '../messages/new-message.ts'
import type { MessageStore, NewMessage, TableLine, TableMark, TableRow, TableStore } from '../store/index.ts'
import { eachPortion, PORTION } from './check.ts'
import type { RowRefusal } from './contract.ts'
import { messageIdOf, type PreparedPlan, type StoredPlan } from './plans.ts'

export interface WorkerDeps {
  tables: TableStore
  messages: MessageStore
  accepting: AcceptContext
  attach: Attach
  actions: Pick<MessageActions, 'cancel' | 'wasSentAgain'>
  turns: Turns<'table'>
  /** The plan of a table, with its sender. */
  planOf: (table: TableRow) => Promise<{ stored: StoredPlan; prepared: PreparedPlan }>
  isStopped: () => boolean
}

/** Errors that pass: the row is tried again later. */
const PASSING = ['queue_full', 'storage_unavailable', 'storage_full', 'rate_limited', 'internal_error']

const passes = (error: unknown): boolean => !(error instanceof ApiError) || PASSING.includes(error.code)

/** The refusal of a row whose message was not accepted. */
function refusalOf(error: ApiError, value: string): RowRefusal {
  if (error.code === 'recipient_opted_out') return { code: 'opted_out', value }
  if (error.code === 'group_no_marketing') return { code: 'group_no_marketing', value }
  if (error.extras.details?.some(({ field }) => field === 'file_id')) return { code: 'file_gone', value }
  return { code: 'refused', value: error.message.slice(0, 200) }
}

/**
 * Does what is left to do for a table: accepts its rows, or takes their messages out of the queue.
 * Each step may be done again: the id of a row's message follows from the table.
 */
export function createWorker(deps: WorkerDeps) {
  const { tables, messages, accepting, attach, actions, turns, isStopped } = deps

  const markOf = ({ row, tries }: TableLine, change: Partial<TableMark>): TableMark => ({
    ...{ row, tries, messageId: null, refusal: null, taken: false },
    ...change,
  })

  function requestOf({ plan }: PreparedPlan, { ttl }: StoredPlan, line: TableLine, judge: PreparedPlan['judge']) {
    const judged = judge(line.cells)
    if (!judged.ok) return judged
    const { phone, group, message, fileId, filename } = judged.message
    const request: SendRequest = {
      ...{ phone, group, message, ttl, delay: 0, purpose: plan.purpose, priority: 'low' },
      ...(fileId === undefined ? {} : { file_id: fileId, filename }),
      ...(plan.send_at === null ? {} : { send_at: plan.send_at }),
    }
    return { ok: true as const, request }
  }

  type Step = { line: TableLine; mark: TableMark } | { line: TableLine; message: NewMessage }

  /** The message of a row, or the mark of one that has or gets none. */
  async function prepareRow(
    table: TableRow,
    line: TableLine,
    plan: Awaited<ReturnType<WorkerDeps['planOf']>>,
  ): Promise<Step> {
    const id = messageIdOf(table, line)
    // A crash came between the message and the mark of its row.
    if ((await messages.find({ id })) !== undefined) return { line, mark: markOf(line, { messageId: id }) }
    const { prepared, stored } = plan
    const asked = requestOf(prepared, stored, line, prepared.judge)
    if (!asked.ok) return { line, mark: markOf(line, { refusal: JSON.stringify(asked.refusal) }) }
    const { request } = asked
    try {
      const message = await attach(request, null, (attached) =>
        prepareMessage(
          { ...accepting, newId: () => id },
          { sender: prepared.sender, key: null },
          request,
          NOTHING_AS_SENT,
          attached,
        ),
      )
      return { line, message }
    } catch (error) {
      return { line, mark: refused(line, error) }
    }
  }

  /** @throws what passes */
  function refused(line: TableLine, error: unknown): TableMark {
    if (passes(error) || !(error instanceof ApiError)) throw error
    return markOf(line, { refusal: JSON.stringify(refusalOf(error, line.cells.join(' ').slice(0, 200))) })
  }

  async function acceptRow({ line, message }: { line: TableLine; message: NewMessage }): Promise<TableMark> {
    try {
      await acceptMessage(accepting, message, { key: null })
      return markOf(line, { messageId: message.id })
    } catch (error) {
      // Another program on this database was quicker.
      if ((await messages.find({ id: message.id })) !== undefined) return markOf(line, { messageId: message.id })
      return refused(line, error)
    }
  }

  /** Rows that were accepted or refused are marked, also where another one has to wait. */
  async function markAll(table: TableRow, marks: readonly PromiseSettledResult<TableMark>[]): Promise<void> {
    await tables.mark(
      table.id,
      marks.flatMap((each) => (each.status === 'fulfilled' ? each.value : [])),
    )
    for (const each of marks) if (each.status === 'rejected') throw each.reason
  }

  async function acceptPortion(table: TableRow, after: number, plan: Awaited<ReturnType<WorkerDeps['planOf']>>) {
    const lines = await tables.waiting(table.id, after, PORTION)
    const steps: Step[] = []
    // One after the other, so that they are accepted in the order of the table.
    for (const line of lines) steps.push(await prepareRow(table, line, plan))
    await markAll(
      table,
      await Promise.allSettled(steps.map(async (step) => ('mark' in step ? step.mark : acceptRow(step)))),
    )
    return lines.length === PORTION ? (lines.at(-1)?.row ?? null) : null
  }

  /** True when all rows are through. */
  async function acceptAll(table: TableRow): Promise<boolean> {
    const plan = await deps.planOf(table)
    for (let after: number | null = 0; after !== null; ) {
      if (isStopped() || (await tables.find(table.id))?.state !== 'going') return false
      const from: number = after
      after = await turns.run('table', () => acceptPortion(table, from, plan))
    }
    return true
  }

  /** Cancels what waits in the queue; a row of a table that is paused may be sent again. */
  async function takeBack(table: TableRow): Promise<void> {
    await eachPortion({ tables, turns }, table, async (lines) => {
      // One that was tried may have arrived: it goes its way.
      const inQueue = (line: TableLine) => line.status === 'queued' && line.attempts === 0
      const chosen = lines.filter((line) => line.taken || inQueue(line))
      if (chosen.length === 0) return
      // Written first: after a crash it is known whose cancelling it was.
      await tables.mark(
        table.id,
        chosen.map((line) => markOf(line, { messageId: line.messageId, taken: true })),
      )
      await markAll(table, await Promise.allSettled(chosen.map((line) => takeRow(table, line))))
    })
  }

  async function takeRow({ state }: TableRow, line: TableLine): Promise<TableMark> {
    const id = line.messageId ?? ''
    await actions.cancel(id).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error
    })
    const message = await messages.find({ id })
    const isFree = message?.status === 'cancelled' && message.attempts === 0
    if (state === 'paused' && isFree) return markOf(line, { tries: line.tries + 1 })
    return markOf(line, { messageId: line.messageId })
  }

  return {
    /** Resolves with true when nothing is left to do for this table in its state. */
    async settle(table: TableRow): Promise<boolean> {
      if (table.state === 'going') return acceptAll(table)
      if (table.state === 'paused' || table.state === 'cancelled') await takeBack(table)
      return table.state !== 'planned'
    },

    /** Frees rows whose message failed, where it helps to send it again. */
    async freeFailed(table: TableRow): Promise<void> {
      await eachPortion({ tables, turns }, table, async (lines) => {
        const marks: TableMark[] = []
        for (const line of lines) {
          const { messageId, status, error } = line
          if (messageId === null || status !== 'failed' || error === null) continue
          if (mayHaveArrived(error.code) || !worthSendingAgain(error.code)) continue
          const message = await messages.find({ id: messageId })
          if (message === undefined || (await actions.wasSentAgain(message, message.recipient, ['cancelled'])) !== null)
            continue
          marks.push(markOf(line, { tries: line.tries + 1 }))
        }
        if (marks.length > 0) await tables.mark(table.id, marks)
      })
    },
  }
}
