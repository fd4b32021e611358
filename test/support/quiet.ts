import { setTimeout } from 'node:timers/promises'
import type { Page, Request } from 'playwright-core'

const LOOK_EVERY = 100
const CALM_LOOKS = 5

const isStream = (request: Request) => new URL(request.url()).pathname === '/api/events'

/**
 * Returns a function that waits until the page has sent no request for half a second. Playwright's
 * `networkidle` would wait for the live stream to end.
 */
export function watchRequests(page: Page): () => Promise<void> {
  const open = new Set<Request>()
  page.on('request', (request) => void (isStream(request) || open.add(request)))
  const ended = (request: Request) => void open.delete(request)
  page.on('requestfinished', ended).on('requestfailed', ended)
  return async () => {
    for (let calm = 0; calm < CALM_LOOKS; ) {
      await setTimeout(LOOK_EVERY)
      calm = open.size === 0 ? calm + 1 : 0
    }
  }
}
