import { randomBytes } from 'node:crypto'
import type { proto } from 'baileys'
import { type Companion, type Contact, jidOf, signalName } from './directory.ts'
import { takeBundle } from './key-bundle.ts'
import type { ReceiptHabits, Receipts } from './receipts.ts'
import { seconds, stanza } from './stanza.ts'

export interface RecipientDeps {
  receipts: Receipts
  companions(): Companion[]
  now(): number
}

/** Somebody who gets messages, answers them and says that they were read. */
export function createRecipient(contact: Contact, { receipts, companions, now }: RecipientDeps) {
  const phone = contact.devices[0]
  if (!phone) throw new Error(`${contact.number} has no phone`)
  const habits = receipts.habitsOf(contact)

  function myBundle(companion: Companion) {
    const bundle = takeBundle(companion.contact, companion.device)
    if (!bundle) throw new Error(`device ${companion.device} is no longer linked`)
    return bundle
  }

  return {
    number: contact.number,
    lid: contact.lid,

    /** All messages so far, decrypted, in the order of arrival; one that arrived twice is here twice. */
    messages: () => phone.inbox.messages(),
    /** Waits for the next message that `next` has not returned before. */
    next: () => phone.inbox.next(),
    /** What could not be decrypted, and why. */
    unreadable: phone.inbox.unreadable,
    /** What another device of this person got; 0 is the phone. */
    onDevice: (device: number) => contact.devices[device]?.inbox,

    set receipts(mode: ReceiptHabits['receipts']) {
      habits.receipts = mode
    },
    set answersFrom(address: ReceiptHabits['answersFrom']) {
      habits.answersFrom = address
    },
    deliver: (id: string) => receipts.delivered(contact, id),
    read: (id: string) => receipts.read(contact, id),
    /** Installs WhatsApp anew: what is sent in an old session cannot be read, and is asked for again. */
    reinstall: () => phone.signal.reinstall(),
    /** Says that a message could not be decrypted: the sender has to send it again. */
    askRetry: (id: string) => receipts.askAgain(contact, id),

    /** Writes to a linked number; without one named, to the only one. Resolves with the message's id. */
    async send(message: string | proto.IMessage, to?: string): Promise<string> {
      const targets = companions().filter((one) => to === undefined || one.contact.number === to)
      const account = targets[0]?.contact
      if (!account || targets.some((one) => one.contact !== account)) throw new Error('say which linked number')
      const content = typeof message === 'string' ? { conversation: message } : message
      const id = randomBytes(16).toString('hex').toUpperCase()
      for (const companion of targets) {
        const sealed = await phone.signal.seal(signalName(account), companion.device, content, () =>
          myBundle(companion),
        )
        const fromLid = habits.answersFrom === 'lid'
        companion.outbox.post(
          stanza(
            'message',
            {
              from: jidOf(contact, fromLid),
              [fromLid ? 'sender_pn' : 'sender_lid']: jidOf(contact, !fromLid),
              id,
              t: seconds(now()),
              type: 'text',
              notify: contact.name,
            },
            [stanza('enc', { v: '2', type: sealed.type }, sealed.ciphertext)],
          ),
        )
      }
      return id
    },
  }
}
export type Recipient = ReturnType<typeof createRecipient>
