import type { BinaryNode } from 'baileys'
import type { Link } from './link.ts'
import { child, stanza } from './stanza.ts'

// A receipt for a message has a type of its own, and the owner's phone sends one for each chat and
// device.
const keyOf = (tag = '', { id = '', type = '', recipient = '', participant = '' }: BinaryNode['attrs'], from = '') =>
  tag === 'message' ? `${tag} ${id} ${from}` : `${tag} ${id} ${type} ${from} ${recipient} ${participant}`

/** WhatsApp cuts a line that leaves a stanza unanswered for so long: some 3,001 s by its clock. */
const CUT_AFTER_MS = 3_000_000

/** How many stanzas come before the client asks for more. */
const PRIMER = 5

/**
 * A message from the owner's phone is confirmed for its chat, and as such; an unreadable one by an
 * `ack` for it.
 */
function isOfItsChat({ attrs }: BinaryNode, { tag, attrs: { recipient, type } }: BinaryNode): boolean {
  if (attrs.recipient === undefined) return true
  return recipient === attrs.recipient && (tag === 'ack' || type === 'sender')
}

interface Entry {
  node: BinaryNode
  /** The client acknowledged it with an error. */
  refused: boolean
  /** When the server first saw that this connection owes an answer. */
  owedSince?: number | undefined
}

/**
 * Stanzas that waited for a client that was away: they come in portions that the client asks for.
 */
interface Backlog {
  waiting: Entry[]
  /** How many the client may get now. */
  granted: number
  sent: number
}

/**
 * The server's stanzas for one client device. One stays until the client has confirmed it, so that
 * a client that was away, or died before it could take note, gets it at its next login, marked as
 * offline.
 */
export function createOutbox() {
  const unconfirmed = new Map<string, Entry>()
  let link: Link | undefined
  let backlog: Backlog | undefined
  let isMute = false
  /** How often each came over this connection without being answered. */
  const owed = new Map<string, number>()

  const send = (node: BinaryNode) => {
    const key = keyOf(node.tag, node.attrs, node.attrs.from)
    owed.set(key, (owed.get(key) ?? 0) + 1)
    link?.send(node)
  }

  /** A stanza that was refused keeps back all that is behind it. */
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
      // Refused in an earlier connection, it comes once more, and then nothing does.
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
      // Behind what waits already.
      if (backlog !== undefined) backlog.waiting.push(entry)
      else if (!isMute && link !== undefined) send(node)
    },
    /**
     * The line brings nothing any more, in new connections neither: what waits is announced, and
     * does not come.
     */
    mute() {
      isMute = true
    },
    /** From the next connection on it does. */
    unmute() {
      isMute = false
    },
    /**
     * The client has taken note of a stanza: of a message by a receipt or an `ack`, of all others
     * by an `ack`. Returns false where nothing waited for it.
     */
    confirm(confirmation: BinaryNode): boolean {
      const { class: tag, type, to, error } = confirmation.attrs
      const isReceipt = confirmation.tag === 'receipt'
      // It asks for the message again; that says nothing of what has arrived.
      if (isReceipt && type === 'retry') return true
      const key = keyOf(isReceipt ? 'message' : tag, confirmation.attrs, to)
      const entry = unconfirmed.get(key)
      if (entry !== undefined && !isOfItsChat(entry.node, confirmation)) return false
      if (error !== undefined && entry !== undefined) entry.refused = true
      else unconfirmed.delete(key)
      goOn()
      // A chunk of the history has this receipt beside its own.
      if (isReceipt && type === 'hist_sync') return true
      const left = owed.get(key) ?? 0
      owed.set(key, left - 1)
      return left > 0
    },
    /** A stanza unanswered for too long; the server looks when the client says something. */
    overdue(now: number): BinaryNode | undefined {
      for (const [key, entry] of unconfirmed) {
        if ((owed.get(key) ?? 0) <= 0) continue
        entry.owedSince ??= now
        if (now - entry.owedSince > CUT_AFTER_MS) return entry.node
      }
      return undefined
    },
    /** The client asks for more of what waited: `<ib><offline_batch count/></ib>`. */
    grant(request: BinaryNode) {
      const count = Number(child(request, 'offline_batch')?.attrs.count ?? 0)
      if (backlog === undefined) return
      backlog.granted += count
      goOn()
    },
    /** @param inPortions what waited comes as the client asks for it; otherwise all at once */
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
    /** How many stanzas the client has not confirmed. */
    get unconfirmed() {
      return unconfirmed.size
    },
    /** How many of them it has acknowledged with an error. */
    get refused() {
      return [...unconfirmed.values()].filter(({ refused }) => refused).length
    },
    /** How many of them it has not even got in this connection. */
    get withheld() {
      return backlog?.waiting.length ?? 0
    },
  }
}
export type Outbox = ReturnType<typeof createOutbox>
