import type { BinaryNode } from 'baileys'
import type { Link } from './link.ts'
import { stanza } from './stanza.ts'

// A receipt for a message has a type of its own.
const keyOf = (tag = '', id = '', type = '', from = '') =>
  tag === 'message' ? `${tag} ${id} ${from}` : `${tag} ${id} ${type} ${from}`

/**
 * What the server has for one client device. A stanza stays until the client has confirmed it, so that a client
 * that was away, or died before it could take note, gets it at its next login, marked as offline.
 */
export function createOutbox() {
  const unconfirmed = new Map<string, BinaryNode>()
  let link: Link | undefined

  return {
    post(node: BinaryNode) {
      unconfirmed.set(keyOf(node.tag, node.attrs.id, node.attrs.type, node.attrs.from), node)
      link?.send(node)
    },
    /** The client has taken note of a stanza: of a message by a receipt, of all others by an `ack`. */
    confirm(confirmation: BinaryNode) {
      const { id, class: tag, type, to } = confirmation.attrs
      unconfirmed.delete(keyOf(confirmation.tag === 'receipt' ? 'message' : tag, id, type, to))
    },
    connect(next: Link) {
      link = next
      let index = 0
      for (const node of unconfirmed.values()) {
        link.send({ ...node, attrs: { ...node.attrs, offline: String(index++) } })
      }
      link.send(stanza('ib', {}, [stanza('offline', { count: String(index) })]))
    },
    disconnect() {
      link = undefined
    },
  }
}
export type Outbox = ReturnType<typeof createOutbox>
