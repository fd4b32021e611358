import { openSessionRequest, sessionOpenedAnswer } from '../../server/contract/access.ts'
import { CODE_FRAGMENT } from '../../server/contract/page-token.ts'
import { keepToken } from './page-token.ts'

let cannotBeKept = false

/** True if the code of the last log-in was right, but Kurir's disk or database failed. */
export const wasRightButNotKept = (): boolean => cannotBeKept

/**
 * Logs in with the one-time code in the window's address, and removes the code from the address.
 * Without a valid code nothing changes: an earlier session stays, and without one the window says
 * that it is not logged in.
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
