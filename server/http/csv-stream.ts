import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createTurns } from '../lib/turns.ts'
import type { CsvTable } from '../messages/csv.ts'
import type { MessageFilter, MessageStore, SenderStore } from '../store/index.ts'

const MOST_ROWS = 500
const FIRST_ROWS = 10
// Characters of a page: what is more than texts usually are would be written in one turn of the
// event loop.
const PAGE_LENGTH = 256 * 1024

// All tables share these turns, one page at a time.
const pages = createTurns<'table'>(() => Number.POSITIVE_INFINITY)

export interface CsvReads {
  messages: MessageStore
  senders: SenderStore
}

/**
 * Writes page after page as fast as the reader takes it: a million rows need no more memory than
 * one page.
 */
export async function streamCsv(
  { messages, senders }: CsvReads,
  table: CsvTable,
  filter: Omit<MessageFilter, 'limit'> | undefined,
  res: ServerResponse,
): Promise<void> {
  res.write(table.head)
  // Listened for once: every page would leave another listener behind.
  const closed = new Promise((resolve) => res.once('close', resolve))
  let before: number | undefined
  let limit = FIRST_ROWS
  let more = filter !== undefined
  const nextPage = async () => {
    const rows = await messages.list({ ...filter, before, limit })
    return { rows, text: rows.map((message) => table.line(message, senders.codeOf(message.senderId))).join('') }
  }
  while (more && !res.destroyed) {
    // Sends go on between two pages.
    const { rows, text } = await pages.run('table', nextPage)
    if (!res.write(text)) await Promise.race([once(res, 'drain'), closed])
    before = rows.at(-1)?.seq
    more = rows.length === limit
    const fitting = Math.floor((limit * PAGE_LENGTH) / Math.max(text.length, 1))
    limit = Math.max(1, Math.min(fitting, 2 * limit, MOST_ROWS))
  }
  res.end()
}
