import { ApiError } from '../../contract/errors.ts'
import type { Language } from '../../contract/settings.ts'
import { createBackground } from '../../lib/background.ts'
import { DAY, HOUR, isoTime, isoTimeOrNull } from '../../lib/clock.ts'
import { guessPhone, LOOKED_AT } from '../../lib/phone-column.ts'
import { readInThread } from '../../media/spreadsheets/reading.ts'
import { TableRefused } from '../../media/spreadsheets/refused.ts'
import type { SheetBounds } from '../../media/spreadsheets/xlsx.ts'
import { checkTable } from './check.ts'
import type { TableContext } from './context.ts'
import {
  type CheckView,
  MOST_COLUMNS,
  MOST_ROWS,
  MOST_TABLES,
  rowRefusal,
  shownPlan,
  type TableAction,
  type TableLineView,
  type TablePlan,
  type TableView,
} from './contract.ts'
import { guessFile } from './judge.ts'
import {
  endOf,
  lifeOf,
  preparePlan,
  refuseFarAhead,
  refuseUnknownFields,
  type StoredPlan,
  storedPlan,
  unknownTable,
} from './plans.ts'
import type { TableKinds, TableLine, TableRow, TableState } from './store.ts'
import { createRunner, freeFailed } from './worker.ts'

export const BOUNDS: SheetBounds = {
  rows: MOST_ROWS,
  columns: MOST_COLUMNS,
  inflated: 48 * 1024 * 1024,
  text: 4 * 1024 * 1024,
}
const DRAFT_KEPT = DAY

const REFUSED: Record<TableRefused['why'], string> = {
  not_a_table: 'This is no table. Save it as CSV or XLSX.',
  empty: 'The table has no rows below its names.',
  too_large: 'The table is too large. Leave out columns and sheets that are not needed.',
  too_many_rows: 'The table has more than 5,000 rows. Split it.',
  too_many_columns: 'The table has more than 60 columns. Leave out those that are not needed.',
  too_slow: 'The table takes too long to read. Save it as CSV.',
}

const FROM: Record<Exclude<TableAction, 'undo' | 'send_again'>, { from: TableState[]; to: TableState }> = {
  pause: { from: ['going'], to: 'paused' },
  resume: { from: ['paused'], to: 'going' },
  cancel: { from: ['going', 'paused'], to: 'cancelled' },
}

export type Tables = ReturnType<typeof createTablesService>

export function createTablesService(context: TableContext) {
  const { messaging, tables, turns, stopping, clock, logger } = context
  const background = createBackground({ clock, logger })
  const { wake, stopped } = createRunner(context, background)
  /** Ids of tables that a call is sending now, so that no second call sends them. */
  const sending = new Set<string>()

  async function find(id: string): Promise<TableRow> {
    const table = await tables.find(id)
    if (table === undefined || table.state === 'reading') throw unknownTable()
    return table
  }

  async function removeOldDrafts(): Promise<void> {
    for (const { id, state, changedAt } of await tables.list())
      if (['reading', 'draft'].includes(state) && changedAt < clock.now() - DRAFT_KEPT) await tables.remove(id)
  }

  async function check(id: string, plan: TablePlan): Promise<CheckView> {
    const table = await find(id)
    const now = clock.now()
    refuseFarAhead(plan.send_at, now)
    const prepared = await preparePlan(context, table, plan, now)
    const checked = await checkTable(context, table, prepared, false)
    const ends = await endOf(context, prepared.sender, plan.send_at, checked.count, now)
    const queue = messaging.store.queues.waiting(prepared.sender.id)
    return { ...checked, ends_at: ends === null ? null : isoTime(ends), queue }
  }

  async function plan(table: TableRow, plan: TablePlan, count: number): Promise<void> {
    const now = clock.now()
    refuseFarAhead(plan.send_at, now)
    refuseUnknownFields(plan, table.columns)
    const prepared = await preparePlan(context, table, plan, now)
    const checked = await checkTable(context, table, prepared, true)
    if (checked.count !== count)
      throw new ApiError(
        'conflict',
        `Something changed: ${checked.count} messages would be sent, not ${count}. Check the table again.`,
      )
    const ends = await endOf(context, prepared.sender, plan.send_at, count, now)
    if (ends === null)
      throw new ApiError(
        'conflict',
        'The last message would leave later than in 30 days. Split the table, or send faster.',
      )
    const stored: StoredPlan = { ...plan, ttl: lifeOf(plan.send_at, ends, now) }
    // Read the clock again: checking all rows took time, which must not shorten the time to undo.
    const at = clock.now()
    const change = { state: 'planned' as const, busy: true, at, plan: JSON.stringify(stored), plannedAt: at }
    if (!(await tables.move(table.id, 'draft', change))) throw notADraft()
  }

  async function sendAgain(table: TableRow): Promise<void> {
    const { state } = table
    // Mark the table as busy before rows are freed, so that after a crash the freed rows are sent
    // too.
    const change = { state, busy: true, at: clock.now() }
    if (!['going', 'paused'].includes(state) || !(await tables.move(table.id, state, change))) throw wrongState()
    await freeFailed(context, table)
    // Repeat it, because the worker may have finished before these rows were free.
    await tables.move(table.id, state, change)
  }

  background.every('old drafts', HOUR, removeOldDrafts)

  return {
    wake,

    /** @throws ApiError `invalid_request`, `conflict` */
    async create(name: string, bytes: Uint8Array, language: Language, id = messaging.newId()): Promise<TableView> {
      await removeOldDrafts()
      const { columns, rows, portions } = await readInThread({ bytes, language, bounds: BOUNDS }).catch(
        (error: unknown) => {
          throw error instanceof TableRefused ? unreadable(error) : error
        },
      )
      const now = clock.now()
      const added = await tables.add({ id, name, columns, state: 'reading', rows, createdAt: now }, MOST_TABLES)
      if (added === 'full')
        throw new ApiError(
          'conflict',
          `${MOST_TABLES} tables are kept already, and none is done. Remove a draft first.`,
        )
      let row = 0
      for (const portion of portions) {
        const lines = portion.map(({ line, cells }) => {
          row += 1
          return { row, line, cells }
        })
        await turns.run('table', () => tables.addLines(id, lines))
      }
      await tables.move(id, 'reading', { state: 'draft', busy: false, at: now })
      return viewTable(context, await find(id))
    },

    list: async () => (await tables.list()).filter(({ state }) => state !== 'reading'),

    view: async (id: string) => viewTable(context, await find(id)),
    find,
    check,

    /** Resolves when the table's plan and the refusals of its rows are on disk. */
    async send(id: string, wanted: TablePlan, count: number): Promise<TableView> {
      const table = await find(id)
      if (table.state !== 'draft' || sending.has(id)) throw notADraft()
      sending.add(id)
      try {
        await plan(table, wanted, count)
      } finally {
        sending.delete(id)
      }
      wake()
      return viewTable(context, await find(id))
    },

    /** @throws ApiError `conflict` */
    async act(id: string, action: TableAction): Promise<TableView> {
      const table = await find(id)
      const at = clock.now()
      if (action === 'undo') {
        const change = { state: 'draft' as const, busy: false, at, plannedAt: null }
        if (!(await tables.move(id, 'planned', change))) throw new ApiError('conflict', 'It is too late to undo this.')
      } else if (action === 'send_again') await sendAgain(table)
      else {
        const { from, to } = FROM[action]
        if (!from.includes(table.state) || !(await tables.move(id, table.state, { state: to, busy: true, at })))
          throw wrongState()
      }
      wake()
      return viewTable(context, await find(id))
    },

    /** @param kinds restricts the rows to these kinds */
    lines: (id: string, after: number, limit: number, kinds?: TableKinds): Promise<TableLine[]> =>
      turns.run('table', () => tables.lines(id, after, limit, kinds)),

    async remove(id: string): Promise<void> {
      await find(id)
      if (!(await tables.remove(id))) throw new ApiError('conflict', 'Only a table that was not sent can be removed.')
    },

    async close(): Promise<void> {
      stopping.abort()
      await background.stop()
      await stopped()
    },
  }
}

const unreadable = ({ why }: TableRefused) =>
  new ApiError(why.startsWith('too_') && why !== 'too_slow' ? 'payload_too_large' : 'table_unreadable', REFUSED[why])

const notADraft = () => new ApiError('conflict', 'This table is being sent already.')
const wrongState = () => new ApiError('conflict', 'The table is not in a state for that. Look at it again.')

const TALLIED = 1_000
/** First rows included in a table's view. */
const SHOWN = 5

async function countsOf({ turns, tables }: TableContext, table: TableRow): Promise<TableView['counts']> {
  const counts: TableView['counts'] = {}
  for (let after = 0; after < table.rows; after += TALLIED) {
    const from = after
    for (const { kind, count } of await turns.run('table', () => tables.tally(table.id, from, TALLIED)))
      counts[kind] = (counts[kind] ?? 0) + Number(count)
  }
  return counts
}

async function viewTable(context: TableContext, table: TableRow): Promise<TableView> {
  const { messaging, tables, clock } = context
  const { senders } = messaging.store
  const { id, name, columns, rows, createdAt, plannedAt } = table
  const counts = await countsOf(context, table)
  const plan = await tables.planOf(id).then((text) => (text === null ? null : storedPlan.parse(JSON.parse(text))))
  const sender = plan === null ? undefined : senders.byCode(plan.sender_code)
  const left = (counts.waiting ?? 0) + (counts.queued ?? 0) + (counts.sending ?? 0)
  const isGoing = table.state === 'planned' || table.state === 'going'
  const ends =
    sender === undefined || plan === null || left === 0 || !isGoing
      ? null
      : await endOf(context, sender, plan.send_at, counts.waiting ?? 0, clock.now())
  const some = (await tables.lines(id, 0, LOOKED_AT)).map(({ cells }) => cells)
  return {
    ...{ id, name, columns, rows, counts },
    state: stateOf(table, left),
    created_at: isoTime(createdAt),
    planned_at: isoTimeOrNull(plannedAt),
    sender_code: plan?.sender_code ?? null,
    ends_at: isoTimeOrNull(ends),
    guess: { phone_column: guessPhone(columns, some), file_column: guessFile(columns) },
    first_rows: some.slice(0, SHOWN),
    plan: plan === null ? null : shownPlan.parse(plan),
  }
}

function stateOf({ state }: TableRow, left: number): TableView['state'] {
  if (state === 'going') return left === 0 ? 'done' : 'sending'
  return state === 'reading' ? 'draft' : state
}

export function lineView({
  line,
  cells,
  recipient,
  messageId,
  kind,
  occurredAt,
  refusal,
  error,
}: TableLine): TableLineView {
  return {
    ...{ line, cells, recipient, status: kind },
    message_id: messageId,
    at: isoTimeOrNull(occurredAt),
    refusal: refusal === null ? null : rowRefusal.parse(JSON.parse(refusal)),
    error_code: error?.code ?? null,
  }
}
