import { CODE_FRAGMENT, PAGE_TOKEN_HEADER } from '../../server/contract/page-token.ts'
import type { TestApp } from './app.ts'

/** Returns the code in a link that opens the window. */
export const codeOf = (url: string): string => url.split(CODE_FRAGMENT)[1] ?? ''

export interface BrowserSession {
  id: string
  cookie: string
  pageToken: string
  /** Headers that the window's pages send. */
  headers: { cookie: string; [name: string]: string }
}

/** Logs in with a new link, as a browser does. */
export async function openSession(app: TestApp, headers: Record<string, string> = {}): Promise<BrowserSession> {
  const code = codeOf(app.app.newWindowLink().url)
  const answer = await app.fetch<{ id: string; page_token: string }>('/api/sessions', { body: { code }, headers })
  const cookie = String(answer.headers['set-cookie']).split(';')[0] ?? ''
  const { id, page_token: pageToken } = answer.body.data
  return { id, cookie, pageToken, headers: { cookie, [PAGE_TOKEN_HEADER]: pageToken } }
}
