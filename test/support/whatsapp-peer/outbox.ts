import type { BinaryNode } from 'baileys'
import type { Link } from './link.ts'
import { child, stanza } from './stanza.ts'

// For messages the key has no type, because a receipt has a type of its own and the owner's phone
// sends one for each chat and device.
const keyOf = (tag = '', { id = '', type = '', recipient = '', participant = '' }: BinaryNode['attrs'], from = '') =>
  tag === 'message' ? `${tag} ${id} ${from}` : `${tag} ${id} ${type} ${from} ${recipient} ${participant}`

/** WhatsApp cuts a connection whose client has left a stanza unanswered for about 3,001 s. */
const CUT_AFTER_MS = 3_000_000

/** Stanzas that are sent before the client asks for more. */
const PRIMER = 5

/**
 * Checks the confirmation of a message that the owner wrote on the phone: a receipt must name its
 * chat and be of type `sender`; an unreadable message is confirmed by an `ack` with its chat.
 */
function isOfItsChat({ attrs }: BinaryNode, { tag, attrs: { recipient, type } }: BinaryNode): boolean {
  if (attrs.recipient === undefined) return true
  return recipient === attrs.recipient && (tag === 'ack' || type === 'sender')
}

interface Entry {
  node: BinaryNode
  /** True if the client acknowledged the stanza with an error. */
  refused: boolean
  /** Time at which the server first noticed that the client owes an answer on this connection. */
  owedSince?: number | undefined
}

/**
 * Stanzas that waited for an offline client. They are sent in portions that the client asks for.
 */
interface Backlog {
  waiting: Entry[]
  granted: number
  sent: number
}

/**
 * Creates the server's queue of stanzas for one client device. A stanza stays until the client
 * confirms it. A client that was offline, or died before it confirmed, gets the stanza at its next
 * login, marked as offline.
 */
export function createOutbox() {
  const unconfirmed = new Map<string, Entry>()
  let link: Link | undefined
  let backlog: Backlog | undefined
  let isMute = false
  /** How often each stanza was sent on this connection without an answer. */
  const owed = new Map<string, number>()

  const send = (node: BinaryNode) => {
    const key = keyOf(node.tag, node.attrs, node.attrs.from)
    owed.set(key, (owed.get(key) ?? 0) + 1)
    link?.send(node)
  }

  /** Returns true while a refused stanza holds back those behind it. */
  const isBlocked = () => [...unconfirmed.values()].some(({ refused }) => refused)

  const sendOffline = ({ node }: Entry, index: number) =>
    send({ ...node, attrs: { ...node.attrs, offline: String(index) } })

  const preview = (entries: Entry[]) => {
    const of = (tag: string) => String(entries.filter(({ node }) => node.tag === tag).length)
    const counts = { message: of('message'), receipt: of('receipt'), notification: of('notification'), call: '0' }
    return stanza('ib', {}, [stanza('offline_preview', { count: String(entries.length), ...counts })])
  }
  const end = (count: number) => stanza('ib', {}, [stanza('offline', { count: String(count) })])

  function goOn() {
    if (backlog === undefined || isMute) return
    for (; backlog.granted > 0 && backlog.waiting.length > 0; backlog.granted -= 1) {
      // A stanza that was refused on an earlier connection is sent once more, and nothing after it.
      const [next] = backlog.waiting
      if (next === undefined || (isBlocked() && !next.refused)) return
      backlog.waiting.shift()
      sendOffline(next, backlog.sent)
      backlog.sent += 1
    }
    if (backlog.waiting.length > 0 || isBlocked()) return
    link?.send(end(backlog.sent))
    backlog = undefined
  }

  return {
    post(node: BinaryNode) {
      const entry = { node, refused: false }
      unconfirmed.set(keyOf(node.tag, node.attrs, node.attrs.from), entry)
      // Keep the order behind stanzas that already wait.
      if (backlog !== undefined) backlog.waiting.push(entry)
      else if (!isMute && link !== undefined) send(node)
    },
    /** Stops sending, also on new connections: waiting stanzas are announced but not sent. */
    mute() {
      isMute = true
    },
    /** Sends again from the next connection on. */
    unmute() {
      isMute = false
    },
    /**
     * Takes a client's confirmation: a receipt or an `ack` for a message, an `ack` for anything
     * else. Returns false if no stanza waited for it.
     */
    confirm(confirmation: BinaryNode): boolean {
      const { class: tag, type, to, error } = confirmation.attrs
      const isReceipt = confirmation.tag === 'receipt'
      // A retry receipt asks for the message again and confirms nothing.
      if (isReceipt && type === 'retry') return true
      const key = keyOf(isReceipt ? 'message' : tag, confirmation.attrs, to)
      const entry = unconfirmed.get(key)
      if (entry !== undefined && !isOfItsChat(entry.node, confirmation)) return false
      if (error !== undefined && entry !== undefined) entry.refused = true
      else unconfirmed.delete(key)
      goOn()
      // A chunk of history gets this receipt in addition to its own.
      if (isReceipt && type === 'hist_sync') return true
      const left = owed.get(key) ?? 0
      owed.set(key, left - 1)
      return left > 0
    },
    /**
     * Returns a stanza that has been unanswered for too long. Checked when the client sends
     * something.
     */
    overdue(now: number): BinaryNode | undefined {
      for (const [key, entry] of unconfirmed) {
        if ((owed.get(key) ?? 0) <= 0) continue
        entry.owedSince ??= now
        if (now - entry.owedSince > CUT_AFTER_MS) return entry.node
      }
      return undefined
    },
    /** Handles the client's request for more waiting stanzas: `<ib><offline_batch count/></ib>`. */
    grant(request: BinaryNode) {
      const count = Number(child(request, 'offline_batch')?.attrs.count ?? 0)
      if (backlog === undefined) return
      backlog.granted += count
      goOn()
    },
    /**
     * @param inPortions true to send waiting stanzas as the client asks for them, not all at once
     */
    connect(next: Link, { inPortions }: { inPortions: boolean }) {
      link = next
      owed.clear()
      for (const entry of unconfirmed.values()) entry.owedSince = undefined
      const waiting = [...unconfirmed.values()]
      if (!isMute && (!inPortions || waiting.length === 0)) {
        waiting.forEach(sendOffline)
        link.send(end(waiting.length))
        return
      }
      link.send(preview(waiting))
      backlog = { waiting, granted: PRIMER, sent: 0 }
      goOn()
    },
    disconnect() {
      link = undefined
      backlog = undefined
    },
    get unconfirmed() {
      return unconfirmed.size
    },
    /** Number of unconfirmed stanzas that the client acknowledged with an error. */
    get refused() {
      return [...unconfirmed.values()].filter(({ refused }) => refused).length
    },
    /** Number of unconfirmed stanzas that were not sent on this connection. */
    get withheld() {
      return backlog?.waiting.length ?? 0
    },
  }
}
export type Outbox = ReturnType<typeof createOutbox>
