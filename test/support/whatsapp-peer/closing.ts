import type { BinaryNode } from 'baileys'
import { stanza } from './stanza.ts'

const streamError = (code: number | undefined, reason?: BinaryNode) =>
  stanza('stream:error', { code: code === undefined ? undefined : String(code) }, reason ? [reason] : undefined)

/** Returns the refusal of a login or the end of a connection, with WhatsApp's reasons. */
export const failure = (attributes: Record<string, string>): BinaryNode =>
  stanza('failure', { location: 'rva', ...attributes })

/** Stanzas that end a connection, by meaning. */
export const STREAM_ERRORS = {
  'device removed': streamError(401, stanza('conflict', { type: 'device_removed' })),
  'device removed, without a code': streamError(undefined, stanza('conflict', { type: 'device_removed' })),
  'device removed, 516': streamError(516),
  replaced: streamError(undefined, stanza('conflict', { type: 'replaced' })),
  'replaced, 409': streamError(409),
  'rate limit': streamError(429),
  'going down': streamError(503),
  'waiting for an ack': streamError(undefined, stanza('ack', { id: 'ABCDEF', class: 'message' })),
  'not well-formed': streamError(undefined, stanza('xml-not-well-formed')),
  restart: streamError(515),
} as const satisfies Record<string, BinaryNode>
export type StreamError = keyof typeof STREAM_ERRORS

/** Returns the stanza that ends a connection whose client left `node` unanswered. */
export const waitsFor = ({ tag, attrs: { id, from } }: BinaryNode): BinaryNode =>
  streamError(undefined, stanza('ack', { class: tag, id, from }))

/**
 * Returns the last stanza of a connection for a close code of the client library; undefined if the
 * server hangs up without one.
 */
export function closingStanza(code: number): BinaryNode | undefined {
  switch (code) {
    case 401:
      return STREAM_ERRORS['device removed']
    case 402:
    case 403:
    case 405:
    case 406:
      return failure({ reason: String(code) })
    case 411:
      return stanza('ib', {}, [stanza('downgrade_webclient')])
    case 428:
      return undefined
    case 440:
      return STREAM_ERRORS.replaced
    default:
      return streamError(code)
  }
}
