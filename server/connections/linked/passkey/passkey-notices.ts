import { type BinaryNode, S_WHATSAPP_NET, type WASocket } from 'baileys'
import type { Logger } from '../../../lib/logger.ts'

export interface PasskeyEvents {
  /** Instead of linking, WhatsApp wants a passkey. */
  onPasskey(node: BinaryNode): void
  /** The phone has answered in the ceremony of a passkey. */
  onContinuation(node: BinaryNode): void
}

const NOTICES = {
  passkey_prologue_request: 'onPasskey',
  crsc_continuation: 'onContinuation',
} as const satisfies Record<string, keyof PasskeyEvents>

/** True for those that the library may not hear of: with no number yet its answer fails. */
export const isOfPasskey = ({ attrs }: BinaryNode): boolean => (attrs.type ?? '') in NOTICES

/** Confirms them and passes them on; only the server's own count (whatsmeow, whatsapp-rust). */
export function takePasskeyNotices(sock: WASocket, events: PasskeyEvents, logger: Logger): void {
  for (const [type, event] of Object.entries(NOTICES)) {
    sock.ws.on(`CB:notification,type:${type}`, (node: BinaryNode) => {
      const { id = '', from = '' } = node.attrs
      sock
        .sendNode({ tag: 'ack', attrs: { id, to: from, class: 'notification', type } })
        .catch((err: unknown) => logger.debug({ err }, 'a notice about a passkey could not be confirmed'))
      if (from === S_WHATSAPP_NET || from === S_WHATSAPP_NET.slice(1)) events[event](node)
    })
  }
}
