import { openSessionRequest, sessionOpenedAnswer } from '../../server/contract/access.ts'
import { CODE_FRAGMENT } from '../../server/contract/page-token.ts'
import { keepToken } from './page-token.ts'

let cannotBeKept = false

/**
 * True if the last log-in was right, but Kurir could not keep it: its disk or database does not
 * work.
 */
export const wasRightButNotKept = (): boolean => cannotBeKept

/**
 * Logs in with the one-time code of the address, and takes it out of there. Where there is none, or
 * it is no longer good, nothing changes: an earlier session goes on, and without one the window
 * says so.
 */
export async function logInByLink(): Promise<void> {
  if (!location.hash.startsWith(CODE_FRAGMENT)) return
  const code = location.hash.slice(CODE_FRAGMENT.length)
  history.replaceState(null, '', location.pathname + location.search)
  const request = openSessionRequest.safeParse({ code })
  if (!request.success) return
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch('/api/sessions', { method: 'POST', headers, body: JSON.stringify(request.data) }).catch(
    () => undefined,
  )
  cannotBeKept = answer?.status === 503
  if (answer?.ok !== true) return
  const { data } = sessionOpenedAnswer.parse(await answer.json())
  keepToken(data.page_token)
}
