import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { CsvTable } from '../messages/csv.ts'
import type { MessageFilter, MessageStore, SenderStore } from '../store/index.ts'

const PAGE = 500

export interface CsvReads {
  messages: Pick<MessageStore, 'list'>
  senders: Pick<SenderStore, 'codeOf'>
}

/** Writes page after page as fast as the reader takes it: a million rows need no more memory than one page. */
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
  let more = filter !== undefined
  while (more && !res.destroyed) {
    const rows = await messages.list({ ...filter, before, limit: PAGE })
    const text = rows.map((message) => table.line(message, senders.codeOf(message.senderId))).join('')
    const full = !res.write(text)
    // Sends go on between two pages.
    await (full ? Promise.race([once(res, 'drain'), closed]) : setImmediate())
    before = rows.at(-1)?.seq
    more = rows.length === PAGE
  }
  res.end()
}
