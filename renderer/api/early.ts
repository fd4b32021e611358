import { CODE_FRAGMENT } from '../../server/contract/page-token.ts'
import { ownHeaders } from './page-token.ts'

/** Answers that the menu and the first page show. */
const PATHS = ['/api/settings', '/api/overview', '/api/senders']

const asked = new Map<string, Promise<Response>>()

/**
 * Asks the server before the rest of the script has run: its answers are there when they are
 * wanted.
 */
export function askEarly(): void {
  // There is nothing to be had before the log-in.
  if (location.hash.startsWith(CODE_FRAGMENT)) return
  for (const path of PATHS) {
    const answer = fetch(path, { headers: { ...ownHeaders(), accept: 'application/json' } })
    // It fails where it is taken.
    answer.catch(() => undefined)
    asked.set(path, answer)
  }
}

/**
 * The answer that was asked for early, for the one who asks first; undefined for everybody else.
 */
export function takeEarly(path: string): Promise<Response> | undefined {
  const answer = asked.get(path)
  asked.delete(path)
  return answer
}
