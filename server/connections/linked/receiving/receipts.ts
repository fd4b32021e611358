import { type BinaryNode, isJidGroup, jidNormalizedUser } from 'baileys'
import type { Status } from '../../../contract/messages.ts'
import { childOf, childrenOf } from '../library/stanzas.ts'

export interface ReceiptReport {
  providerMessageId: string
  status: Status
  /** Milliseconds; by WhatsApp's clock. */
  at: number
  /** The address of the member of a group whose receipt it is. */
  member?: readonly string[]
}

/**
 * By the type of a receipt; no type means delivered. Those not listed say nothing about what became
 * of a message.
 */
const STATUS: Record<string, Status> = {
  '': 'delivered',
  read: 'read',
  played: 'read',
  // The owner's own phone shows the message.
  sender: 'sent',
}

/**
 * Reads a receipt, which may speak of many messages. Read from the stanza because the library
 * merges receipts that come close together. Pure.
 */
export function readReceipt(node: BinaryNode, now: number): ReceiptReport[] {
  const { attrs } = node
  const status = STATUS[attrs.type ?? '']
  if (status === undefined) return []
  const isOwn = attrs.type === 'sender'
  const member = isJidGroup(attrs.from) && !isOwn ? { member: [jidNormalizedUser(attrs.participant)] } : {}
  const items = childrenOf(childOf(node, 'list')).map((item) => item.attrs.id)
  const seconds = Number(attrs.t)
  // WhatsApp gives whole seconds: the end of one, or else a receipt would seem older than its
  // message.
  const at = Number.isFinite(seconds) && seconds > 0 ? Math.min(now, seconds * 1000 + 999) : now
  return [attrs.id, ...items]
    .filter((id) => id !== undefined)
    .map((providerMessageId) => ({ providerMessageId, status, at, ...member }))
}
