import type { BinaryNode, WASocket } from 'baileys'
import type { Logger } from '../../../lib/logger.ts'
import { childOf } from '../library/nodes.ts'
import { takeOver } from '../library/take-over.ts'

/**
 * The library asks once for a hundred of what waited while the number was away; WhatsApp sends no
 * more than it is asked for.
 */
const ASKED_BY_LIBRARY = 100

export function askForTheRest(sock: WASocket, node: BinaryNode, logger: Logger): void {
  const left = Number(childOf(node, 'offline_preview')?.attrs.count ?? 0) - ASKED_BY_LIBRARY
  if (!(left > 0)) return
  sock
    .sendNode({ tag: 'ib', attrs: {}, content: [{ tag: 'offline_batch', attrs: { count: String(left) } }] })
    .catch((err: unknown) => logger.debug({ err }, 'WhatsApp could not be asked for what waits'))
}

/**
 * The library confirms a receipt as soon as it has read it, and WhatsApp then forgets it. Ours goes
 * first, so that a crash in between costs no status.
 * @param take resolves with true where nothing is left for the library to do
 */
export function takeReceiptsFirst(sock: WASocket, take: (node: BinaryNode) => Promise<boolean>, logger: Logger): void {
  takeOver<BinaryNode>(sock, 'CB:receipt', (node, theirs) =>
    take(node).then(
      (isDone) => (isDone ? undefined : theirs(node)),
      (err: unknown) => logger.error({ err }, 'a receipt could not be recorded; WhatsApp will repeat it'),
    ),
  )
}

/** Stanzas that the library answers, or that want no answer. */
const HEARD_OF: ReadonlySet<string> = new Set([
  ...['message', 'receipt', 'notification', 'call', 'ack', 'iq', 'ib', 'presence', 'chatstate'],
  ...['success', 'failure', 'stream:error', 'stream:features', 'xmlstreamend'],
])

/**
 * Confirms what the library does not know, such as the `status` of July 2026: WhatsApp cuts a line
 * that leaves one without an answer every 50 minutes, and brings it again in front of all else
 * (whatsmeow a2381054, whatsapp-rust PR 1101).
 */
export function confirmUnheardOf(sock: WASocket, frame: BinaryNode | Uint8Array, logger: Logger): void {
  if (frame instanceof Uint8Array || HEARD_OF.has(frame.tag)) return
  const { id, from } = frame.attrs
  if (id === undefined || from === undefined) return
  sock.sendMessageAck(frame).catch((err: unknown) => logger.debug({ err }, 'a stanza could not be confirmed'))
}
