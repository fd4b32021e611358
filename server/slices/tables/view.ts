import { isoTime, isoTimeOrNull } from '../../lib/clock.ts'
import { guessPhone, LOOKED_AT } from '../../lib/phone-column.ts'
import { guessFile } from './columns.ts'
import type { TableContext } from './context.ts'
import { rowRefusal, shownPlan, type TableLineView, type TableView } from './contract.ts'
import { endOf, storedPlan } from './plans.ts'
import type { TableLine, TableRow } from './store.ts'

const TALLIED = 1_000
/** Rows that are shown with a table. */
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

/** A table with what became of its rows. */
export async function viewTable(context: TableContext, table: TableRow): Promise<TableView> {
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

/** A row with what became of it. */
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
