import { once } from 'node:events'
import type { ServerResponse } from 'node:http'

/** Begins the answer of a table for a spreadsheet. @param name of its file */
export function beginCsv(res: ServerResponse, name: string): void {
  res.writeHead(200, {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${name}.csv"`,
    'cache-control': 'no-store',
  })
}

/**
 * Writes an answer page after page as fast as the reader takes it: a million rows need no more
 * memory than one page.
 * @param next resolves with a page, and whether another one follows
 */
export async function writePages(
  res: ServerResponse,
  head: string,
  next: () => Promise<{ text: string; more: boolean }>,
): Promise<void> {
  res.write(head)
  // Listened for once: every page would leave another listener behind.
  const closed = new Promise((resolve) => res.once('close', resolve))
  for (let isMore = true; isMore && !res.destroyed; ) {
    const { text, more } = await next()
    if (!res.write(text)) await Promise.race([once(res, 'drain'), closed])
    isMore = more
  }
  res.end()
}
