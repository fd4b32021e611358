import { isUnwanted } from '../../store/index.ts'
import type { TableContext } from './context.ts'
import type { CheckView, RowRefusal, TablePreview } from './contract.ts'
import { judgeRow, type RowMessage, unknownFields } from './judge.ts'
import type { PreparedPlan } from './plans.ts'
import type { TableLine, TableMark, TableRow } from './store.ts'

/** Rows handled in one turn of the event loop and written in one commit. */
export const PORTION = 100
const MOST_SHOWN = 200

type Seen = { line: TableLine; refusal: RowRefusal } | { line: TableLine; refusal: null; message: RowMessage }

export async function eachPortion(
  { tables, turns }: TableContext,
  table: TableRow,
  work: (lines: TableLine[]) => Promise<void>,
): Promise<void> {
  for (let after = 0, more = true; more; ) {
    more = await turns.run('table', async () => {
      const lines = await tables.lines(table.id, after, PORTION)
      await work(lines)
      after = lines.at(-1)?.row ?? after
      return lines.length === PORTION
    })
  }
}

/**
 * Checks every row before any message is accepted.
 * @param keeps true to store the refusals; a row with a refusal is not sent
 */
export async function checkTable(context: TableContext, table: TableRow, prepared: PreparedPlan, keeps: boolean) {
  const { plan, sender } = prepared
  const { contacts, suppressions } = context.messaging.store
  const view = {
    count: 0,
    refused: {} as CheckView['refused'],
    refused_rows: [] as CheckView['refused_rows'],
    unknown_fields: unknownFields(plan.message, table.columns),
    first_contacts: 0,
    same_number: 0,
    restored: 0,
    previews: [] as TablePreview[],
  }
  /** Messages for each recipient, to find rows that say the same twice. */
  const said = new Map<string, Set<string>>()

  async function look(line: TableLine): Promise<Seen> {
    const judged = judgeRow(prepared, line.cells)
    if (!judged.ok) return { line, refusal: judged.refusal }
    const { message } = judged
    const { phone } = message
    if (phone !== undefined && isUnwanted(await suppressions.scopeOf(sender.id, phone), plan.purpose))
      return { line, refusal: { code: 'opted_out', value: phone } }
    return { line, refusal: null, message }
  }

  function refuseTwice(seen: Seen): Seen {
    if (seen.refusal !== null) return seen
    const { phone, group, message, fileId } = seen.message
    const recipient = phone ?? group ?? ''
    const before = said.get(recipient)
    const words = `${fileId ?? ''}\n${message}`
    if (before?.has(words) === true) return { line: seen.line, refusal: { code: 'twice', value: recipient } }
    if (before === undefined) said.set(recipient, new Set([words]))
    else {
      before.add(words)
      view.same_number += 1
    }
    return seen
  }

  async function count({ line, ...seen }: Seen): Promise<void> {
    if (seen.refusal !== null) {
      const { code } = seen.refusal
      view.refused[code] = (view.refused[code] ?? 0) + 1
      if (view.refused_rows.length < MOST_SHOWN) view.refused_rows.push({ line: line.line, ...seen.refusal })
      return
    }
    const { phone, group, message, filename, restored } = seen.message
    view.count += 1
    if (restored) view.restored += 1
    const recipient = phone ?? group ?? ''
    const isFirst =
      phone !== undefined && sender.kind === 'linked' && (await contacts.get(sender.id, phone))?.known !== true
    if (isFirst) view.first_contacts += 1
    // Previews: the first two rows and the last one.
    const preview = { line: line.line, recipient, message, file: filename ?? null }
    if (view.previews.length < 2) view.previews.push(preview)
    else view.previews[2] = preview
  }

  await eachPortion(context, table, async (lines) => {
    const portion = (await Promise.all(lines.map(look))).map(refuseTwice)
    for (const seen of portion) await count(seen)
    if (keeps) await context.tables.mark(table.id, portion.map(markOf))
  })
  return view
}

const markOf = ({ line: { row, tries }, refusal }: Seen): TableMark => ({
  row,
  tries,
  messageId: null,
  refusal: refusal === null ? null : JSON.stringify(refusal),
  taken: false,
})
