import type { BinaryNode } from 'baileys'
import type { Link } from './link.ts'
import { attribute, stanza } from './stanza.ts'

/**
 * What the server has for one client device. A stanza stays until the client has confirmed it, so that a client
 * that was away, or died before it could take note, gets it at its next login, marked as offline.
 */
export function createOutbox() {
  const unconfirmed = new Map<string, BinaryNode>()
  let link: Link | undefined

  return {
    post(node: BinaryNode) {
      unconfirmed.set(`${node.tag} ${node.attrs.id} ${attribute(node, 'type') ?? ''} ${node.attrs.from}`, node)
      link?.send(node)
    },
    /** The client confirmed a stanza by an `ack`, or a message by a receipt. */
    confirm(tag: string, id: string | undefined) {
      for (const [key, node] of unconfirmed) {
        if (node.tag === tag && node.attrs.id === id) {
          unconfirmed.delete(key)
          return
        }
      }
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
