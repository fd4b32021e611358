import { originOf } from './guard.ts'

/** The part of Electron's WebRequest that is used. */
export interface RequestHeaders {
  onBeforeSendHeaders(
    listener: (
      details: { url: string; requestHeaders: Record<string, string> },
      send: (changed: { requestHeaders: Record<string, string> }) => void,
    ) => void,
  ): void
}

/**
 * The window's requests carry the owner's token as a header, to the server alone and only while it
 * runs. So it is in no address, no history and no storage that a page can read.
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
