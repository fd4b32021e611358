import type { BinaryNode } from 'baileys'
import { stanza } from './stanza.ts'

const streamError = (code: number | undefined, reason?: BinaryNode) =>
  stanza('stream:error', { code: code === undefined ? undefined : String(code) }, reason ? [reason] : undefined)

/** The last word of the server for a closing code as the client library tells it; `undefined`: it just hangs up. */
export function closingStanza(code: number): BinaryNode | undefined {
  switch (code) {
    case 401:
      return streamError(401, stanza('conflict', { type: 'device_removed' }))
    case 403:
    case 405:
      return stanza('failure', { reason: String(code) })
    case 411:
      return stanza('ib', {}, [stanza('downgrade_webclient')])
    case 428:
      return undefined
    case 440:
      return streamError(undefined, stanza('conflict', { type: 'replaced' }))
    default:
      return streamError(code)
  }
}
