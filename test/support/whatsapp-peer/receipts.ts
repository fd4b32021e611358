import { randomBytes } from 'node:crypto'
import type { BinaryNode } from 'baileys'
import { type Companion, type Contact, type Directory, jidOf, phoneOf } from './directory.ts'
import { isLidGroup } from './groups.ts'
import type { Opened } from './inbox.ts'
import type { Journal } from './journal.ts'
import { keyNodes, keysInReceipt, registrationNode } from './key-bundle.ts'
import type { Parcel } from './messages.ts'
import type { KeyBundle, SignalDevice } from './signal.ts'
import { seconds, stanza } from './stanza.ts'

export interface ReceiptHabits {
  /** `auto`: delivered and read. `deliver`: delivered. `none`: only when the test asks. */
  receipts: 'auto' | 'deliver' | 'none'
  /** Address from which receipts and messages come; WhatsApp uses both forms. */
  answersFrom: 'as addressed' | 'number' | 'lid'
}

/** Phones give up after this number, and senders refuse to answer more. */
const MOST_RETRIES = 5

/** Creates the receipts that phones send to senders. */
export function createReceipts(directory: Directory, journal: Journal, now: () => number) {
  const habits = new Map<Contact, ReceiptHabits>()
  const parcels = new Map<string, Parcel>()
  const asked = new Map<string, number>()
  /**
   * Functions that send a message again in a new session with the given keys, by receiver and
   * message id.
   */
  const written = new Map<string, (keys: KeyBundle | undefined) => Promise<void>>()
  const placeOf = ({ contact, device }: Companion, id: string) => `${contact.number}:${device} ${id}`

  const habitsOf = (contact: Contact): ReceiptHabits => {
    const known = habits.get(contact) ?? { receipts: 'auto', answersFrom: 'as addressed' }
    habits.set(contact, known)
    return known
  }

  function parcel(id: string): Parcel {
    const known = parcels.get(id)
    if (!known) throw new Error(`no message ${id} was delivered`)
    return known
  }

  function answers(contact: Contact, chat: string, device = 0): string {
    const { answersFrom } = habitsOf(contact)
    return jidOf(contact, answersFrom === 'as addressed' ? chat.endsWith('@lid') : answersFrom === 'lid', device)
  }

  /** Returns the attributes that name the device that answers; in a group with the member. */
  function authorOf(contact: Contact, { chat, group }: Parcel, device = 0): Record<string, string> {
    if (group === undefined) return { from: answers(contact, chat, device) }
    const { answersFrom } = habitsOf(contact)
    const isLid = answersFrom === 'as addressed' ? isLidGroup(group) : answersFrom === 'lid'
    return { from: group.jid, participant: jidOf(contact, isLid, device) }
  }

  function post(contact: Contact, arrived: Parcel, type?: 'read' | 'sender') {
    const { id, sender } = arrived
    if (type !== 'sender') journal.told.push({ id, by: contact.number, what: type === 'read' ? 'read' : 'delivered' })
    sender.outbox.post(stanza('receipt', { id, ...authorOf(contact, arrived), type, t: seconds(now()) }))
  }

  /**
   * Returns a retry receipt's content. From the second one on it contains the phone's keys, so that
   * the sender begins a new session.
   */
  function retryContent(who: string, wanted: Parcel, signal: SignalDevice): BinaryNode[] {
    const key = `${who} ${wanted.id}`
    const count = (asked.get(key) ?? 0) + 1
    if (count > MOST_RETRIES) throw new Error(`a device asks ${MOST_RETRIES} times at most`)
    asked.set(key, count)
    return [
      stanza('retry', { count: String(count), id: wanted.id, t: seconds(wanted.at), v: '1', error: '4' }),
      registrationNode(signal.registrationId),
      ...(count > 1 ? [stanza('keys', {}, keyNodes(signal.bundle()))] : []),
    ]
  }

  function askAgain(contact: Contact, wanted: Parcel, device = 0) {
    const signal = contact.devices.get(device)?.signal
    if (!signal) throw new Error(`${contact.number} has no device ${device}`)
    const who = device === 0 ? contact.number : `${contact.number}:${device}`
    const content = retryContent(who, wanted, signal)
    const attrs = { id: wanted.id, ...authorOf(contact, wanted, device), type: 'retry', t: seconds(now()) }
    wanted.sender.outbox.post(stanza('receipt', attrs, content))
  }

  return {
    habitsOf,
    remember: (arrived: Parcel) => parcels.set(arrived.id, arrived),
    keepWritten: (to: Companion, id: string, again: (keys: KeyBundle | undefined) => Promise<void>) =>
      written.set(placeOf(to, id), again),
    /** Sends a message again that a client could not read. */
    async onRetry(from: Companion, receipt: BinaryNode) {
      await written.get(placeOf(from, receipt.attrs.id ?? ''))?.(keysInReceipt(receipt))
    },
    delivered: (contact: Contact, id: string) => post(contact, parcel(id)),
    read: (contact: Contact, id: string) => post(contact, parcel(id), 'read'),
    /** Posts the read receipts of several group members in one stanza, as WhatsApp may do. */
    readTogether(members: readonly Contact[], id: string) {
      const { sender, group } = parcel(id)
      if (group === undefined) throw new Error(`${id} did not go to a group`)
      const t = seconds(now())
      const users = members.map((member) => stanza('user', { jid: jidOf(member, isLidGroup(group)), t }))
      const attrs = { id: randomBytes(16).toString('hex').toUpperCase(), from: group.jid, type: 'read' }
      sender.outbox.post(stanza('receipt', attrs, [stanza('participants', { key: id }, users)]))
    },
    askAgain: (contact: Contact, id: string, device?: number) => askAgain(contact, parcel(id), device),
    wasAskedFor: (contact: Contact, id: string) =>
      asked.has(`${contact.number} ${id}`) || asked.has(`own ${parcels.get(id)?.sender.contact.number} ${id}`),

    /** Asks for the copy of the owner's own phone again. */
    askAgainFromOwnPhone(id: string, byLid?: boolean) {
      const wanted = parcel(id)
      const { sender, chat } = wanted
      const isLid = byLid ?? chat.endsWith('@lid')
      const other = directory.find(chat)?.contact
      const from = jidOf(sender.contact, isLid)
      const content = retryContent(`own ${sender.contact.number}`, wanted, phoneOf(sender.contact).signal)
      sender.outbox.post(
        stanza(
          'receipt',
          { id, from, recipient: other ? jidOf(other, isLid) : chat, type: 'retry', t: seconds(now()) },
          content,
        ),
      )
    },
    /** Posts the receipt of the owner's own phone, which shows the message too. */
    fromOwnPhone({ id, sender, chat }: Parcel) {
      const from = jidOf(sender.contact, chat.endsWith('@lid'))
      sender.outbox.post(stanza('receipt', { id, from, recipient: chat, type: 'sender', t: seconds(now()) }))
    },
    afterDelivery(contact: Contact, arrived: Parcel, how: Opened, device = 0) {
      if (how === 'retry') return askAgain(contact, arrived, device)
      if (device !== 0) return
      // In a group the owner's own phone is a member too.
      if (contact === arrived.sender.contact) return post(contact, arrived, 'sender')
      const { receipts } = habitsOf(contact)
      if (receipts !== 'none') post(contact, arrived)
      if (receipts === 'auto') post(contact, arrived, 'read')
    },
  }
}
export type Receipts = ReturnType<typeof createReceipts>
