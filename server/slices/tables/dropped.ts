import type { DroppedOutcome, DroppedTable, TableRefusal } from '../../contract/dropped-tables.ts'
import { ApiError } from '../../contract/errors.ts'
import { wasSentAgain } from '../../messages/actions.ts'
import type { Store } from '../../store/index.ts'
import { WORDS } from '../../words/index.ts'
import { say } from '../../words/say.ts'
import { checkTable, eachPortion } from './check.ts'
import type { TableContext } from './context.ts'
import { rowRefusal, type TablePlan, type TableView, tablePlan } from './contract.ts'
import { endOf, messageIdOf, preparePlan } from './plans.ts'
import type { Tables } from './service.ts'
import type { TableLine, TableRow } from './store.ts'

/** Name of a column whose cells are complete messages. */
const TEXT_NAME = /^(text|teks|pesan|isi|isi pesan|message)$/i
const LINES = 500

/**
 * Sends a table from the drop folder as the window would, with the columns guessed.
 * @throws ApiError `sender_not_found`, or `conflict` if too many tables are kept or something
 * changed
 */
export async function takeDropped(
  context: TableContext,
  service: Tables,
  { id, isTaken, name, bytes, senderCode, text, allow }: DroppedTable,
): Promise<DroppedOutcome> {
  const { language } = context.settings()

  async function refusedRows(): Promise<string[]> {
    const words = WORDS[language]
    const said: string[] = []
    for (let after = 0, more = true; more; ) {
      const lines = await service.lines(id, after, LINES, ['refused'])
      for (const { line, refusal } of lines) {
        const { code, value } = rowRefusal.parse(JSON.parse(refusal ?? ''))
        said.push(say(words, 'tableLine', { line, problem: say(words, `tableProblems.${code}`, { value }) }))
      }
      after = lines.at(-1)?.row ?? after
      more = lines.length === LINES
    }
    return said
  }

  const refuse = (why: TableRefusal, refused: string[] = []): DroppedOutcome => ({ sent: false, why, refused })

  async function send(view: TableView): Promise<DroppedOutcome> {
    const plan = planOf(view, senderCode, text)
    if (typeof plan === 'string') return refuse(plan)
    const now = context.clock.now()
    const prepared = await preparePlan(context, await service.find(id), plan, now)
    const { count, unknown_fields } = await checkTable(context, await service.find(id), prepared, true)
    if (unknown_fields.length > 0)
      return refuse(
        'table_no_column',
        unknown_fields.map((word) => `{${word}}`),
      )
    if (count === 0) return refuse('table_no_row', await refusedRows())
    if ((await endOf(context, prepared.sender, null, count, now)) === null) return refuse('table_too_slow')
    await allow(count)
    await service.send(id, plan, count)
    return { sent: true, refused: await refusedRows() }
  }

  const found = await context.tables.find(id)
  if (isTaken || (found !== undefined && !['reading', 'draft'].includes(found.state)))
    return { sent: true, refused: await refusedRows() }
  // A crash may have left an incomplete draft.
  await context.tables.remove(id)
  try {
    return await send(await service.create(name, bytes, language, id))
  } catch (error) {
    if (error instanceof ApiError && error.code === 'table_unreadable') return refuse('table_unreadable')
    if (error instanceof ApiError && error.code === 'payload_too_large') return refuse('table_too_large')
    throw error
  } finally {
    // Removes only a draft, that is, a table that was not sent after all.
    await context.tables.remove(id)
  }
}

/**
 * Removes a table that the owner has undone, so that the window cannot send it too. Resolves with
 * true if nothing of the table was or will be sent: it was undone, or cancelled before any message
 * was attempted.
 */
export async function forgetUnsent(context: TableContext, id: string): Promise<boolean> {
  const { store } = context.messaging
  if (await context.tables.remove(id)) return true
  const table = await context.tables.find(id)
  if (table?.state !== 'cancelled' || table.busy) return false
  let isUnsent = true
  await eachPortion(context, table, async (lines) => {
    for (const line of lines) isUnsent &&= await isRowUnsent(store, table, line)
  })
  return isUnsent
}

async function isRowUnsent(store: Store, table: TableRow, line: TableLine): Promise<boolean> {
  // Check every message of the row, including one whose mark was lost in a crash.
  for (let tries = 0; tries <= line.tries; tries += 1) {
    const message = await store.messages.find({ id: messageIdOf(table, { ...line, tries }) })
    if (message === undefined) return tries === line.tries && line.messageId === null
    if (message.status !== 'cancelled' || message.attempts > 0) return false
    if ((await wasSentAgain(store, message, message.recipient, ['cancelled'])) !== null) return false
  }
  return true
}

function planOf({ columns, guess }: TableView, senderCode: string, text: string): TablePlan | TableRefusal {
  const { phone_column, file_column } = guess
  if (phone_column === null) return 'table_no_number'
  const texts = columns.find((name) => TEXT_NAME.test(name) && name !== phone_column)
  if (texts === undefined && text.trim() === '') return 'table_no_text'
  // In a dropped table no files are chosen, so a row that names one is refused.
  const message = texts === undefined ? text : `{${texts}}`
  return tablePlan.parse({ sender_code: senderCode, phone_column, message, file_column })
}
