import { originOf } from './guard.ts'

/** The part of Electron's WebRequest that this module uses. */
export interface RequestHeaders {
  onBeforeSendHeaders(
    listener: (
      details: { url: string; requestHeaders: Record<string, string> },
      send: (changed: { requestHeaders: Record<string, string> }) => void,
    ) => void,
  ): void
}

/**
 * Adds the owner's token as a header to the window's requests, to the server alone and only while
 * the server runs. So the token is in no address, history or storage that a page can read.
 */
export function setupOwnerAccess(
  requests: RequestHeaders,
  ownerToken: () => string,
  ownOrigin: () => string | null,
): void {
  requests.onBeforeSendHeaders(({ url, requestHeaders }, send) => {
    const isOwn = ownOrigin() !== null && originOf(url) === ownOrigin()
    send({ requestHeaders: isOwn ? { ...requestHeaders, Authorization: `Bearer ${ownerToken()}` } : requestHeaders })
  })
}
