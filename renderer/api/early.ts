import { CODE_FRAGMENT } from '../../server/contract/page-token.ts'
import { ownHeaders } from './page-token.ts'

/** Paths whose answers the menu and the first page show. */
const PATHS = ['/api/settings', '/api/overview', '/api/senders']

const asked = new Map<string, Promise<Response>>()

/** Starts the first requests before the rest of the script runs, so that answers come earlier. */
export function askEarly(): void {
  // Before the log-in the server would refuse them.
  if (location.hash.startsWith(CODE_FRAGMENT)) return
  for (const path of PATHS) {
    const answer = fetch(path, { headers: { ...ownHeaders(), accept: 'application/json' } })
    // The caller of takeEarly() gets the error.
    answer.catch(() => undefined)
    asked.set(path, answer)
  }
}

/** Returns the early answer of a path to its first caller, undefined to all others. */
export function takeEarly(path: string): Promise<Response> | undefined {
  const answer = asked.get(path)
  asked.delete(path)
  return answer
}
