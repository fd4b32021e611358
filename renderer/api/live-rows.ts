import type { InfiniteData } from '@tanstack/react-query'
import type { z } from 'zod'
import type { MessageRow, messageListAnswer } from '../../server/contract/messages.ts'
import { type MessageFilters, matches } from './message-filters.ts'

export type MessagePage = z.infer<typeof messageListAnswer>
/** Pages that a list has read so far, newest first; each with the cursor that led to it. */
export type MessagePages = InfiniteData<MessagePage, string | undefined>

/**
 * Ids are UUIDv7: a greater id is a newer message, so rows find their place without asking the
 * server.
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

/** A page reaches down to its last row; the last page of all reaches down to the beginning. */
function holds(page: MessagePage, id: string): boolean {
  const last = page.data.at(-1)
  return page.next_cursor === null || (last !== undefined && last.id <= id)
}
