import { type BinaryNode, S_WHATSAPP_NET, type WASocket } from 'baileys'
import type { Clock } from '../../../lib/clock.ts'

/** Sends a query. Resolves with undefined if no answer comes within the library's query timeout. */
const ask = (sock: WASocket, attrs: Record<string, string>, content: BinaryNode): Promise<BinaryNode | undefined> =>
  sock.query({ tag: 'iq', attrs: { to: S_WHATSAPP_NET, ...attrs }, content: [content] })

/** Pings the server. Resolves with false if there is no answer. */
export async function isAlive(sock: WASocket): Promise<boolean> {
  const answer = await ask(sock, { type: 'get', xmlns: 'w:p' }, { tag: 'ping', attrs: {} }).catch(() => undefined)
  return answer !== undefined
}

/**
 * Removes this PC from the phone's list of linked devices. The library's own logout would close the
 * connection before WhatsApp has received the request.
 */
export async function askToForget(sock: WASocket): Promise<void> {
  const jid = sock.user?.id ?? ''
  const removal = { tag: 'remove-companion-device', attrs: { jid, reason: 'user_initiated' } }
  await ask(sock, { type: 'set', xmlns: 'md' }, removal)
}

/**
 * Resolves like `work`, the queries that the library makes together, but rejects if they take
 * longer than `queryTimeout`.
 */
export function answered<T>(
  { clock, queryTimeout }: { clock: Clock; queryTimeout: number },
  work: Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(queryTimeout, () => reject(new Error('WhatsApp did not answer in time')))
    work.then(resolve, reject).finally(cancel)
  })
}

/**
 * Returns true if the connection is lost. The library rejects a question with 428, or with the code
 * of WebSocket with which the connection was closed (1000, 1005, 1006, …), which is no Error.
 */
export const isDisconnect = (error: unknown): boolean =>
  typeof error === 'number' || (error as { output?: { statusCode?: number } } | undefined)?.output?.statusCode === 428

/** Returns WhatsApp's error code from the library's error for a query; null: there is none. */
export const refusalOf = (error: unknown): number | null => {
  const { data } = error as { data?: unknown }
  return typeof data === 'number' ? data : null
}

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
