import {
  CODE_FRAGMENT,
  openSessionRequest,
  PAGE_TOKEN_HEADER,
  sessionOpenedAnswer,
} from '../../server/contract/sessions.ts'

// Of this origin alone: pages of other ports of this PC cannot read it.
const STORED = 'kurir.page-token'

/** What every call of a browser's window brings beside its cookie; nothing on the desktop, whose shell adds the right. */
export function ownHeaders(): Record<string, string> {
  const token = pageToken()
  return token === null ? {} : { [PAGE_TOKEN_HEADER]: token }
}

function pageToken(): string | null {
  try {
    return localStorage.getItem(STORED)
  } catch {
    // A browser that keeps nothing for pages.
    return null
  }
}

/**
 * Logs in with the one-time code of the address, and takes it out of there. Where there is none, or it is no longer good,
 * nothing changes: an earlier session goes on, and without one the window says so.
 */
export async function logInByLink(): Promise<void> {
  if (!location.hash.startsWith(CODE_FRAGMENT)) return
  const code = decodeURIComponent(location.hash.slice(CODE_FRAGMENT.length))
  history.replaceState(null, '', location.pathname + location.search)
  const request = openSessionRequest.safeParse({ code })
  if (!request.success) return
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch('/api/sessions', { method: 'POST', headers, body: JSON.stringify(request.data) }).catch(
    () => undefined,
  )
  if (answer?.ok !== true) return
  const { data } = sessionOpenedAnswer.parse(await answer.json())
  localStorage.setItem(STORED, data.page_token)
}
