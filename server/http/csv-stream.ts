import type { ServerResponse } from 'node:http'
import { createTurns } from '../lib/turns.ts'
import type { CsvTable } from '../messages/csv.ts'
import type { MessageSelection, Store } from '../store/index.ts'
import { writePages } from './write-pages.ts'

const MOST_ROWS = 500
const FIRST_ROWS = 10
// Characters of a page: what is more than texts usually are would be written in one turn of the
// event loop.
const PAGE_LENGTH = 256 * 1024

// All tables share these turns, one page at a time.
const pages = createTurns<'table'>(() => Number.POSITIVE_INFINITY)

/** Writes the messages of a filter as a table; of none without one. */
export async function streamCsv(
  { messages, senders }: Store,
  table: CsvTable,
  filter: MessageSelection | undefined,
  res: ServerResponse,
): Promise<void> {
  if (filter === undefined) return void res.end(table.head)
  let before: number | undefined
  let limit = FIRST_ROWS
  const nextPage = async () => {
    const rows = await messages.list({ ...filter, before, limit })
    const text = rows.map((message) => table.line(message, senders.codeOf(message.senderId))).join('')
    before = rows.at(-1)?.seq
    const more = rows.length === limit
    const fitting = Math.floor((limit * PAGE_LENGTH) / Math.max(text.length, 1))
    limit = Math.max(1, Math.min(fitting, 2 * limit, MOST_ROWS))
    return { text, more }
  }
  // Sends go on between two pages.
  await writePages(res, table.head, () => pages.run('table', nextPage))
}
