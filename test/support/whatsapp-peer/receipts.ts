import type { BinaryNode } from 'baileys'
import { type Contact, jidOf } from './directory.ts'
import type { Opened } from './inbox.ts'
import { keyNodes, registrationNode } from './key-bundle.ts'
import type { Parcel } from './messages.ts'
import { seconds, stanza } from './stanza.ts'

export interface ReceiptHabits {
  /** `auto` delivered and read, `deliver` only delivered, `none` until the test says so. */
  receipts: 'auto' | 'deliver' | 'none'
  /** The address that receipts and messages come from; WhatsApp uses both. */
  answersFrom: 'as addressed' | 'number' | 'lid'
}

/** What phones tell senders about their messages. */
export function createReceipts(now: () => number) {
  const habits = new Map<Contact, ReceiptHabits>()
  const parcels = new Map<string, Parcel>()
  const asked = new Map<string, number>()

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

  function answers(contact: Contact, chat: string): string {
    const { answersFrom } = habitsOf(contact)
    return answersFrom === 'as addressed' ? chat : jidOf(contact, answersFrom === 'lid')
  }

  function post(contact: Contact, { id, sender, chat }: Parcel, type?: string, content?: BinaryNode[]) {
    const attributes = { id, from: answers(contact, chat), type, t: seconds(now()) }
    sender.outbox.post(stanza('receipt', attributes, content))
  }

  function askAgain(contact: Contact, wanted: Parcel) {
    const key = `${contact.number} ${wanted.id}`
    const count = (asked.get(key) ?? 0) + 1
    asked.set(key, count)
    const signal = contact.devices[0]?.signal
    if (!signal) throw new Error(`${contact.number} has no phone`)
    // The second time a phone sends its keys along, so that the sender begins a new session.
    const keys = count > 1 ? [stanza('keys', {}, keyNodes(signal.bundle()))] : []
    post(contact, wanted, 'retry', [
      stanza('retry', { count: String(count), id: wanted.id, t: seconds(wanted.at), v: '1' }),
      registrationNode(signal.registrationId),
      ...keys,
    ])
  }

  return {
    habitsOf,
    remember: (arrived: Parcel) => parcels.set(arrived.id, arrived),
    delivered: (contact: Contact, id: string) => post(contact, parcel(id)),
    read: (contact: Contact, id: string) => post(contact, parcel(id), 'read'),
    askAgain: (contact: Contact, id: string) => askAgain(contact, parcel(id)),
    wasAskedFor: (contact: Contact, id: string) => asked.has(`${contact.number} ${id}`),

    /** The owner's own phone shows the message too, and says so. */
    fromOwnPhone({ id, sender, chat }: Parcel) {
      const from = jidOf(sender.contact, chat.endsWith('@lid'))
      sender.outbox.post(stanza('receipt', { id, from, recipient: chat, type: 'sender', t: seconds(now()) }))
    },
    afterDelivery(contact: Contact, arrived: Parcel, how: Opened) {
      if (how === 'retry') return askAgain(contact, arrived)
      const { receipts } = habitsOf(contact)
      if (receipts !== 'none') post(contact, arrived)
      if (receipts === 'auto') post(contact, arrived, 'read')
    },
  }
}
export type Receipts = ReturnType<typeof createReceipts>
