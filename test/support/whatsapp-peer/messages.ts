import type { BinaryNode } from 'baileys'
import { type Companion, type Directory, jidOf, signalName } from './directory.ts'
import type { Faults } from './faults.ts'
import type { Opened } from './inbox.ts'
import type { Journal } from './journal.ts'
import type { Link } from './link.ts'
import type { Receipts } from './receipts.ts'
import type { Sealed } from './signal.ts'
import { child, children, seconds, stanza } from './stanza.ts'

export interface Parcel {
  id: string
  sender: Companion
  /** The address that the sender used for the chat; receipts name it. */
  chat: string
  at: number
}

export interface MessageDeps {
  directory: Directory
  faults: Faults
  journal: Journal
  receipts: Receipts
  /** Simulated devices leave messages sealed until a test reads them. */
  lazy: boolean
  now(): number
}

const sealedOf = (enc: BinaryNode | undefined): Sealed | undefined =>
  (enc?.attrs.type === 'pkmsg' || enc?.attrs.type === 'msg') && enc.content instanceof Uint8Array
    ? { type: enc.attrs.type, ciphertext: Buffer.from(enc.content) }
    : undefined

/** A message has one sealed copy per device; one that was asked for again has only the asker's, without a list. */
function copiesOf(message: BinaryNode): { jid: string | undefined; sealed: Sealed | undefined }[] {
  const direct = child(message, 'enc')
  if (direct) return [{ jid: message.attrs.to, sealed: sealedOf(direct) }]
  return children(child(message, 'participants')).map((to) => ({
    jid: to.attrs.jid,
    sealed: sealedOf(child(to, 'enc')),
  }))
}

export function createMessageRouter({ directory, faults, journal, receipts, lazy, now }: MessageDeps) {
  /** Puts each copy where it belongs; resolves with how the recipient's phone took it. */
  function deliver(message: BinaryNode, parcel: Parcel): Promise<Opened> | undefined {
    const { sender, id, at } = parcel
    let phoneTook: Promise<Opened> | undefined
    for (const { jid, sealed } of copiesOf(message)) {
      const found = directory.find(jid)
      if (!found || !sealed || found.contact === sender.contact) continue
      const { contact, device } = found
      const companion = contact.companions.find((one) => one.device === device)
      companion?.outbox.post(
        stanza('message', { from: jidOf(sender.contact, false), id, t: seconds(at), type: message.attrs.type }, [
          stanza('enc', { v: '2', type: sealed.type }, sealed.ciphertext),
        ]),
      )
      const inbox = contact.devices[device]?.inbox
      if (!inbox) continue
      const letter = {
        ...sealed,
        id,
        at,
        from: sender.contact.number,
        name: signalName(sender.contact),
        device: sender.device,
      }
      if (lazy) inbox.keep(letter)
      const took = lazy ? Promise.resolve<Opened>('read') : inbox.open(letter)
      if (device === 0) phoneTook = took
    }
    return phoneTook
  }

  return (link: Link, sender: Companion, message: BinaryNode) => {
    const id = String(message.attrs.id)
    const chat = String(message.attrs.to)
    const recipient = directory.find(chat)?.contact
    const to = recipient?.number ?? chat
    const at = now()
    const parcel: Parcel = { id, sender, chat, at }
    const how = faults.internal.take(to)
    const entry = journal.add({
      at,
      account: sender.contact.number,
      device: sender.device,
      link: link.number,
      to,
      address: chat,
      id,
      acked: false,
      delivered: false,
      askedFor: recipient ? receipts.wasAskedFor(recipient, id) : false,
    })
    const acknowledge = (error?: string) => {
      if (!link.isOpen) return
      entry.acked = true
      if (error) entry.error = error
      link.send(stanza('ack', { class: 'message', id, from: chat, t: seconds(now()), error }))
    }

    if (how === 'lost') return link.cut()
    if (typeof how === 'object') return acknowledge(how.error)

    if (how === 'now' || how === 'cut after') acknowledge()
    const opened = recipient && deliver(message, parcel)
    entry.delivered = opened !== undefined
    if (opened) receipts.remember(parcel)
    const answer = () => {
      receipts.fromOwnPhone(parcel)
      if (recipient && opened) void opened.then((outcome) => receipts.afterDelivery(recipient, parcel, outcome))
    }

    if (how === 'cut before' || how === 'cut after') link.cut()
    if (how === 'late') {
      faults.internal.hold(() => {
        acknowledge()
        answer()
      })
    } else if (how !== 'never') answer()
  }
}
