import { type BinaryNode, S_WHATSAPP_NET, type WASocket } from 'baileys'
import type { Clock } from '../../../lib/clock.ts'

/** Resolves with nothing when there is no answer in the time that every query has. */
const ask = (sock: WASocket, attrs: Record<string, string>, content: BinaryNode): Promise<BinaryNode | undefined> =>
  sock.query({ tag: 'iq', attrs: { to: S_WHATSAPP_NET, ...attrs }, content: [content] })

/** Asks whether anybody is at the other end. */
export async function isAlive(sock: WASocket): Promise<boolean> {
  const answer = await ask(sock, { type: 'get', xmlns: 'w:p' }, { tag: 'ping', attrs: {} }).catch(() => undefined)
  return answer !== undefined
}

/**
 * Takes this PC off the phone's list of linked devices. The library's own logout hangs up before
 * WhatsApp has received it.
 */
export async function askToForget(sock: WASocket): Promise<void> {
  const jid = sock.user?.id ?? ''
  const removal = { tag: 'remove-companion-device', attrs: { jid, reason: 'user_initiated' } }
  await ask(sock, { type: 'set', xmlns: 'md' }, removal)
}

/** Waits for questions that the library asks together, in the time that there is for them. */
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

/** WhatsApp's code in the library's error for a question. */
export const refusalOf = (error: unknown): number | null => {
  const { data } = error as { data?: unknown }
  return typeof data === 'number' ? data : null
}

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
