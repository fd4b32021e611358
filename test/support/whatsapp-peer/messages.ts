import type { BinaryNode } from 'baileys'
import { isStrict } from './account.ts'
import { type Companion, type Contact, type Directory, jidOf, phoneOf, signalName } from './directory.ts'
import type { Faults } from './faults.ts'
import { createGroupRouter } from './group-messages.ts'
import type { Group, Groups } from './groups.ts'
import type { Letter, Opened } from './inbox.ts'
import type { Journal } from './journal.ts'
import type { Link } from './link.ts'
import { expectedDevices, judge, type Verdict } from './message-rules.ts'
import { notifyReach } from './mex.ts'
import { participantHash } from './participant-hash.ts'
import { countNewChat, countStranger } from './reach.ts'
import type { Receipts } from './receipts.ts'
import type { Sealed } from './signal.ts'
import { child, children, seconds, stanza } from './stanza.ts'

export interface Parcel {
  id: string
  sender: Companion
  /** Address that the sender used for the chat; receipts use it too. */
  chat: string
  at: number
  /** Set if the message went to a group. */
  group?: Group
}

export interface MessageDeps {
  directory: Directory
  groups: Groups
  faults: Faults
  journal: Journal
  receipts: Receipts
  /** Simulated devices leave messages sealed until a test reads them. */
  lazy: boolean
  now(): number
}

export const sealedOf = (enc: BinaryNode | undefined): Sealed | undefined =>
  (enc?.attrs.type === 'pkmsg' || enc?.attrs.type === 'msg') && enc.content instanceof Uint8Array
    ? { type: enc.attrs.type, ciphertext: Buffer.from(enc.content) }
    : undefined

/**
 * Returns the sealed copies of a message, one per device. An answer to a retry receipt has a single
 * copy without a list.
 */
function copiesOf(message: BinaryNode): { jid: string | undefined; sealed: Sealed | undefined }[] {
  const direct = child(message, 'enc')
  if (direct) return [{ jid: message.attrs.to, sealed: sealedOf(direct) }]
  return children(child(message, 'participants')).map((to) => ({
    jid: to.attrs.jid,
    sealed: sealedOf(child(to, 'enc')),
  }))
}

/**
 * Returns true if the answer to a retry receipt differs from what both reference clients send: one
 * copy for the device that asked, with its count and the message's time. Servers also accept the
 * form of Baileys.
 */
function isOddAnswer(message: BinaryNode, wasAskedFor: boolean, { error }: Verdict): boolean {
  const enc = child(message, 'enc')
  // A message to the owner's own phone has a single copy too.
  if (message.attrs.category === 'peer') return false
  if (!wasAskedFor && enc === undefined) return false
  const { t, type, device_fanout } = message.attrs
  const isAnswer = enc?.attrs.count !== undefined && t !== undefined && device_fanout === 'false'
  const hasKind = type !== 'media' || enc?.attrs.mediatype !== undefined
  return !isAnswer || !hasKind || error !== undefined || child(message, 'participants') !== undefined
}

export function createMessageRouter(deps: MessageDeps) {
  const { directory, faults, journal, receipts, lazy, now } = deps
  const routeToGroup = createGroupRouter(deps)
  const letterOf = ({ sender, id, at }: Parcel, sealed: Sealed): Letter => ({
    ...sealed,
    id,
    at,
    from: sender.contact.number,
    name: signalName(sender.contact),
    device: sender.device,
  })

  /**
   * Delivers a copy to one of the sender's own devices. The phone opens it when a test reads it.
   */
  function deliverToOwn(parcel: Parcel, device: number, sealed: Sealed, type: string | undefined) {
    const { sender, id, at, chat } = parcel
    if (device === 0) return phoneOf(sender.contact).inbox.keep(letterOf(parcel, sealed))
    const other = sender.contact.companions.find((one) => one.device === device)
    const from = jidOf(sender.contact, chat.endsWith('@lid'), sender.device)
    other?.outbox.post(
      stanza('message', { from, recipient: chat, id, t: seconds(at), type }, [
        stanza('enc', { v: '2', type: sealed.type }, sealed.ciphertext),
      ]),
    )
  }

  function deliverToCompanion(
    parcel: Parcel,
    contact: Contact,
    device: number,
    sealed: Sealed,
    type: string | undefined,
  ) {
    const companion = contact.companions.find((one) => one.device === device)
    const { sender, id, at } = parcel
    const isLid = contact.account.kind === 'migrated'
    companion?.outbox.post(
      stanza(
        'message',
        {
          from: jidOf(sender.contact, isLid),
          [isLid ? 'sender_pn' : 'sender_lid']: jidOf(sender.contact, !isLid),
          ...{ id, t: seconds(at), type, notify: sender.contact.name },
        },
        [stanza('enc', { v: '2', type: sealed.type }, sealed.ciphertext)],
      ),
    )
  }

  /**
   * Delivers each copy. Resolves with how the recipient's phone opened it; undefined without a
   * phone copy.
   */
  function deliver(message: BinaryNode, parcel: Parcel): Promise<Opened> | undefined {
    const { type } = message.attrs
    let phoneTook: Promise<Opened> | undefined
    for (const { jid, sealed } of copiesOf(message)) {
      const found = directory.find(jid)
      if (!found || !sealed) continue
      const { contact, device } = found
      if (contact === parcel.sender.contact) {
        deliverToOwn(parcel, device, sealed, type)
        continue
      }
      deliverToCompanion(parcel, contact, device, sealed, type)
      const inbox = contact.devices.get(device)?.inbox
      if (!inbox) continue
      const letter = letterOf(parcel, sealed)
      if (lazy) inbox.keep(letter)
      const took = lazy ? Promise.resolve<Opened>('read') : inbox.open(letter)
      if (device === 0) phoneTook = took
    }
    return phoneTook
  }

  /** Counts new chats and strangers; a stranger counts even if the message is refused. */
  function count(sender: Contact, recipient: Contact | undefined, { error, newChat }: Verdict) {
    if (!newChat || recipient === undefined) return
    const { account } = sender
    if (error !== undefined) {
      if (countStranger(account.reach, now())) notifyReach(sender, 'lock', now())
      return
    }
    account.chats.add(recipient)
    const changed = countNewChat(account.reach, now())
    for (const what of ['lock', 'cap'] as const) if (changed[what]) notifyReach(sender, what, now())
  }

  return (link: Link, sender: Companion, message: BinaryNode) => {
    const id = String(message.attrs.id)
    const chat = String(message.attrs.to)
    if (chat.endsWith('@g.us')) return routeToGroup(link, sender, message)
    const found = directory.find(chat)
    const recipient = found?.contact
    const to = recipient?.number ?? chat
    const at = now()
    const parcel: Parcel = { id, sender, chat, at }
    const how = faults.internal.take(to)
    const verdict = judge(message, sender, recipient, directory, at)
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
      newChat: verdict.newChat,
      token: verdict.token,
    })
    if (isOddAnswer(message, entry.askedFor, verdict)) journal.oddAnswers.push(message)
    const attributes = () => {
      const strict = recipient !== undefined && isStrict(sender.contact.account)
      return {
        phash: strict ? participantHash(expectedDevices(sender, recipient, found?.isLid === true)) : undefined,
      }
    }
    const from = `${sender.contact.number}:${sender.device}`
    for (const { jid = '', sealed } of copiesOf(message))
      if (sealed !== undefined) journal.messageKeys.note({ at, from, to: jid }, sealed)
    const acknowledge = (error?: string) => {
      if (!link.isOpen) return
      entry.acked = true
      if (error) entry.error = error
      const more = error === undefined ? attributes() : {}
      const refresh_lid = verdict.refreshLid ? 'true' : undefined
      link.send(stanza('ack', { class: 'message', id, from: chat, t: seconds(now()), error, refresh_lid, ...more }))
    }

    if (how === 'lost') return link.cut()
    if (typeof how === 'object') return acknowledge(how.error)
    count(sender.contact, recipient, verdict)
    if (verdict.error !== undefined) return acknowledge(verdict.error)

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
