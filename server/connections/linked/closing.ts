import type { ConnectionState } from '../../contract/senders.ts'

/** What a closed connection asks for. `reason` is a stable code that the owner's window translates. */
export type Verdict =
  | { next: 'restart-now' }
  | { next: 'reconnect'; reason: string }
  /** WhatsApp wants another version of its protocol. */
  | { next: 'other-version'; reason: string }
  | { next: 'stop'; state: ConnectionState; reason: string }

/** Codes that are no fault of this PC or its owner: waiting is all there is to do. */
const RECONNECT: Record<number, string> = {
  400: 'untrusted_server',
  408: 'no_answer',
  411: 'connection_lost',
  428: 'connection_lost',
}

/** What the code of a closed connection means. Undefined: the library gave none. Pure. */
export function verdictOf(code: number | undefined): Verdict {
  switch (code) {
    case 515:
      return { next: 'restart-now' }
    case 440:
      // Reconnecting would throw the other one out, and so on for ever.
      return { next: 'stop', state: 'replaced', reason: 'connected_elsewhere' }
    case 401:
      return { next: 'stop', state: 'logged_out', reason: 'unlinked_on_phone' }
    case 403:
      return { next: 'stop', state: 'restricted', reason: 'restricted_by_whatsapp' }
    case 405:
      return { next: 'other-version', reason: 'protocol_outdated' }
    default: {
      const busy = code !== undefined && code >= 500 ? 'whatsapp_unavailable' : 'connection_lost'
      return { next: 'reconnect', reason: RECONNECT[code ?? 0] ?? busy }
    }
  }
}
