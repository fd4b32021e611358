import type { InfiniteData } from '@tanstack/react-query'
import type { z } from 'zod'
import type { MessageRow, messageListAnswer } from '../../server/contract/messages.ts'
import { type MessageFilters, matches } from './message-filters.ts'

export type MessagePage = z.infer<typeof messageListAnswer>
/** Pages that a list has read so far, newest first, and the cursor of each. */
export type MessagePages = InfiniteData<MessagePage, string | undefined>

/**
 * Puts rows into the pages of a list, and removes rows that do not match its filters. Ids are
 * UUIDv7, so a greater id is a newer message.
 */
export function withRows(
  pages: MessagePages,
  rows: MessageRow[],
  filters: MessageFilters,
  sandboxes?: ReadonlySet<string>,
): MessagePages {
  return rows.reduce((current, row) => withRow(current, row, matches(row, filters, sandboxes)), pages)
}

function withRow(pages: MessagePages, row: MessageRow, wanted: boolean): MessagePages {
  const at = pages.pages.findIndex((page) => holds(page, row.id))
  const page = pages.pages[at]
  if (page === undefined) return pages
  const others = page.data.filter((other) => other.id !== row.id)
  if (!wanted && others.length === page.data.length) return pages
  const place = others.findIndex((other) => other.id < row.id)
  const data = wanted ? others.toSpliced(place === -1 ? others.length : place, 0, row) : others
  return { ...pages, pages: pages.pages.with(at, { ...page, data }) }
}

/** True if an id lies on this page. The last page holds all older ids too. */
function holds(page: MessagePage, id: string): boolean {
  const last = page.data.at(-1)
  return page.next_cursor === null || (last !== undefined && last.id <= id)
}
