import type { BinaryNode } from 'baileys'
import { type Companion, type Contact, deviceIds, deviceJidOf, jidOf, signalName } from './directory.ts'
import { isForOneMember, isOddAnswerToMember, judgeForGroup } from './group-rules.ts'
import type { Group } from './groups.ts'
import { isLidGroup } from './groups.ts'
import type { GroupLetter } from './inbox.ts'
import type { Link } from './link.ts'
import type { MessageDeps, Parcel } from './messages.ts'
import { sealedOf } from './messages.ts'
import { child, children, seconds, stanza } from './stanza.ts'

/** Returns a message's ciphertext for the whole group, and the copies for single devices by jid. */
function copiesOf(message: BinaryNode) {
  const enc = child(message, 'enc')
  const isForAll = enc?.attrs.type === 'skmsg' && enc.content instanceof Uint8Array
  const list = children(child(message, 'participants')).map((to) => [to.attrs.jid ?? '', sealedOf(child(to, 'enc'))])
  const own = new Map(list as [string, ReturnType<typeof sealedOf>][])
  if (isForOneMember(message)) own.set(message.attrs.participant ?? '', sealedOf(enc))
  return { skmsg: isForAll ? Buffer.from(enc.content as Uint8Array) : undefined, own }
}

/**
 * Routes messages to groups: judges them, delivers them to all devices of the members, and sends
 * receipts.
 */
export function createGroupRouter({ directory, faults, groups, journal, receipts, now }: MessageDeps) {
  /** Delivers the message to a real client, with its own copy (the sender key) if there is one. */
  function deliverToCompanion(parcel: Parcel, group: Group, to: Companion, letter: GroupLetter) {
    const { sender, id, at } = parcel
    const isLid = isLidGroup(group)
    to.outbox.post(
      stanza(
        'message',
        {
          from: group.jid,
          participant: jidOf(sender.contact, isLid, sender.device),
          [isLid ? 'participant_pn' : 'participant_lid']: jidOf(sender.contact, !isLid),
          ...{ addressing_mode: group.form, id, t: seconds(at), type: 'text', notify: sender.contact.name },
        },
        [
          ...(letter.sealed ? [stanza('enc', { v: '2', type: letter.sealed.type }, letter.sealed.ciphertext)] : []),
          ...(letter.skmsg ? [stanza('enc', { v: '2', type: 'skmsg' }, letter.skmsg)] : []),
        ],
      ),
    )
  }

  /** Delivers to every device of the members. Returns true if a device of another member got it. */
  function deliver(message: BinaryNode, parcel: Parcel, group: Group): boolean {
    const { sender, id, at } = parcel
    const { skmsg, own } = copiesOf(message)
    let reached = false
    const deliverTo = (contact: Contact, device: number) => {
      const jid = deviceJidOf(contact, isLidGroup(group), device)
      if (skmsg === undefined && !own.has(jid)) return
      const letter: GroupLetter = {
        ...{ id, at, from: sender.contact.number, name: signalName(sender.contact), device: sender.device },
        ...{ group: group.jid, sealed: own.get(jid), skmsg },
      }
      const companion = contact.companions.find((one) => one.device === device)
      if (companion !== undefined && companion !== sender) return deliverToCompanion(parcel, group, companion, letter)
      const inbox = contact.devices.get(device)?.inbox
      if (inbox === undefined || contact.devices.get(device)?.hosted) return
      reached ||= contact !== sender.contact
      void inbox.open(letter).then((how) => receipts.afterDelivery(contact, parcel, how, device))
    }
    for (const contact of group.members.keys()) for (const device of deviceIds(contact)) deliverTo(contact, device)
    return reached
  }

  return (link: Link, sender: Companion, message: BinaryNode) => {
    const id = String(message.attrs.id)
    const chat = String(message.attrs.to)
    const group = groups.find(chat)
    const at = now()
    const how = faults.internal.take(chat)
    const verdict = judgeForGroup(message, group, sender, directory)
    const askedFor = isForOneMember(message)
    const entry = journal.add({
      ...{ at, account: sender.contact.number, device: sender.device, link: link.number, to: chat, address: chat, id },
      ...{ acked: false, delivered: false, askedFor, newChat: false, token: undefined },
    })
    if (askedFor && group !== undefined && isOddAnswerToMember(message, group)) journal.oddAnswers.push(message)
    const from = `${sender.contact.number}:${sender.device}`
    const { skmsg, own } = copiesOf(message)
    if (skmsg !== undefined) journal.messageKeys.note({ at, from, to: chat }, { type: 'skmsg', ciphertext: skmsg })
    for (const [jid, sealed] of own) if (sealed) journal.messageKeys.note({ at, from, to: jid }, sealed)
    const acknowledge = (error?: string) => {
      if (!link.isOpen) return
      entry.acked = true
      if (error !== undefined) entry.error = error
      const phash = error === undefined ? verdict.phash : undefined
      link.send(stanza('ack', { class: 'message', id, from: chat, t: seconds(now()), error, phash }))
    }

    if (how === 'lost') return link.cut()
    if (typeof how === 'object') return acknowledge(how.error)
    if (verdict.error !== undefined || group === undefined) return acknowledge(verdict.error ?? '404')
    if (how === 'now' || how === 'cut after') acknowledge()
    const parcel: Parcel = { id, sender, chat, at, group }
    receipts.remember(parcel)
    entry.delivered = deliver(message, parcel, group)
    if (how === 'cut before' || how === 'cut after') link.cut()
    if (how === 'late') faults.internal.hold(acknowledge)
  }
}
