import { randomBytes } from 'node:crypto'
import { type BinaryNode, type proto, S_WHATSAPP_NET } from 'baileys'
import { isStrict } from './account.ts'
import { notifyDevices, notifyDevicesByHash } from './device-notifications.ts'
import { type Companion, type Contact, type Directory, jidOf, phoneOf, signalName } from './directory.ts'
import { takeBundle } from './key-bundle.ts'
import type { ReceiptHabits, Receipts } from './receipts.ts'
import { seconds, stanza } from './stanza.ts'
import { issueToken } from './tokens.ts'

export interface RecipientDeps {
  receipts: Receipts
  directory: Directory
  now(): number
}

/** Creates a person who gets messages, answers them and sends receipts. */
export function createRecipient(contact: Contact, { receipts, directory, now }: RecipientDeps) {
  const phone = phoneOf(contact)
  const habits = receipts.habitsOf(contact)

  function myBundle(companion: Companion) {
    const bundle = takeBundle(companion.contact, companion.device)
    if (!bundle) throw new Error(`device ${companion.device} is no longer linked`)
    return bundle
  }

  /** Returns the clients of a linked number; without one, there must be only one linked number. */
  function clientsOf(to: string | undefined): Companion[] {
    const targets = directory.companions().filter((one) => to === undefined || one.contact.number === to)
    const account = targets[0]?.contact
    if (!account || targets.some((one) => one.contact !== account)) throw new Error('say which linked number')
    return targets
  }

  /** Posts that wait for `release`. */
  let held: (() => void)[] = []

  let last: BinaryNode | undefined

  /**
   * Posts a stanza to every linked device of an account, without Signal sessions. Returns the id.
   */
  function post(attrs: Record<string, string>, content: BinaryNode, to: string | undefined, tag = 'message'): string {
    const id = randomBytes(16).toString('hex').toUpperCase()
    last = stanza(tag, { ...attrs, id, t: seconds(now()) }, [content])
    for (const { outbox } of clientsOf(to)) outbox.post(last)
    return id
  }

  return {
    number: contact.number,
    get lid() {
      return contact.lid
    },

    /**
     * Resolves with all messages so far, decrypted, in order of arrival. A repeated message is
     * listed twice.
     */
    messages: () => phone.inbox.messages(),
    /** Resolves with the next message that `next` has not returned before. */
    next: () => phone.inbox.next(),
    unreadable: phone.inbox.unreadable,
    /** Returns the inbox of another device of this person; 0 is the phone. */
    onDevice: (device: number) => contact.devices.get(device)?.inbox,

    set receipts(mode: ReceiptHabits['receipts']) {
      habits.receipts = mode
    },
    set answersFrom(address: ReceiptHabits['answersFrom']) {
      habits.answersFrom = address
    },
    deliver: (id: string) => receipts.delivered(contact, id),
    read: (id: string) => receipts.read(contact, id),
    /** Sends read receipts together with other members of a group. */
    readTogether: (id: string, others: readonly string[]) =>
      receipts.readTogether([contact, ...others.map((number) => directory.contact(number))], id),
    /**
     * Reinstalls WhatsApp: messages of old sessions become unreadable, and the phone asks for them
     * again.
     */
    reinstall: () => phone.signal.reinstall(),
    /** Asks the sender to send a message again. */
    askRetry: (id: string, device?: number) => receipts.askAgain(contact, id, device),

    /**
     * Writes to a linked number, by default the only one, from the phone or another `device`. A
     * Buffer is sealed without encoding. `withAlternative` false names one address only. `late`
     * holds the message until `release`. Resolves with the message's id.
     */
    async send(
      message: string | proto.IMessage | Buffer,
      to?: string,
      { device = 0, withAlternative = true, late = false } = {},
    ): Promise<string> {
      const { signal } = contact.devices.get(device) ?? phone
      const targets = clientsOf(to)
      const account = targets[0]?.contact
      if (!account) throw new Error('say which linked number')
      const content = typeof message === 'string' ? { conversation: message } : message
      const id = randomBytes(16).toString('hex').toUpperCase()
      const { answersFrom } = habits
      const fromLid = answersFrom === 'lid' || (answersFrom === 'as addressed' && account.account.kind === 'migrated')
      account.account.chats.add(contact)
      const postTo = async (companion: Companion) => {
        const sealed = await signal.seal(signalName(account), companion.device, content, () => myBundle(companion))
        last = stanza(
          'message',
          {
            from: jidOf(contact, fromLid, device),
            [fromLid ? 'sender_pn' : 'sender_lid']: withAlternative ? jidOf(contact, !fromLid) : undefined,
            id,
            t: seconds(now()),
            type: 'text',
            notify: contact.name,
          },
          [stanza('enc', { v: '2', type: sealed.type }, sealed.ciphertext)],
        )
        const letter = last
        if (late) held.push(() => companion.outbox.post(letter))
        else companion.outbox.post(letter)
      }
      for (const companion of targets) {
        receipts.keepWritten(companion, id, async (keys) => {
          if (keys !== undefined) await signal.beginAgain(signalName(account), companion.device, keys)
          await postTo(companion)
        })
        await postTo(companion)
      }
      // A client issues a token to the person that it writes to.
      if (isStrict(account.account)) issueToken(contact, account, now())
      return id
    },
    /** Posts the messages that were held. */
    release() {
      for (const post of held) post()
      held = []
    },
    /** Delivers this person's last message again. Returns its id. */
    repeat(to?: string): string {
      if (last === undefined) throw new Error(`${contact.number} has written nothing`)
      for (const { outbox } of clientsOf(to)) outbox.post(last)
      return last.attrs.id ?? ''
    },
    /** Seals `count` messages for a linked number that are never sent. */
    async skip(count: number, to?: string) {
      for (const companion of clientsOf(to)) {
        const seal = () =>
          phone.signal.seal(signalName(companion.contact), companion.device, { conversation: '' }, () =>
            myBundle(companion),
          )
        for (let n = 0; n < count; n += 1) await seal()
      }
    },
    /** Makes the next message begin a new session. */
    forgetSessions: () => phone.signal.forgetSessions(),
    /** Sends a message that cannot be decrypted. Returns its id. */
    sendUnreadable: (ciphertext: Buffer, to?: string): string =>
      post(
        { from: jidOf(contact, true), sender_pn: jidOf(contact, false), type: 'text', notify: contact.name },
        stanza('enc', { v: '2', type: 'msg' }, ciphertext),
        to,
      ),
    /** Sends a prompt to Meta AI, or its answer. Returns its id. */
    sendToBot: (to?: string): string =>
      post({ from: jidOf(contact, true), type: 'text' }, stanza('enc', { v: '2', type: 'msmsg' }, randomBytes(64)), to),
    /**
     * Sends a message with a `recipient`, which only the owner's own devices may set. Returns its
     * id.
     */
    sendAsOwner: (to?: string): string =>
      post(
        { from: jidOf(contact, true), recipient: jidOf(contact, true), type: 'text' },
        stanza('enc', { v: '2', type: 'msg' }, randomBytes(64)),
        to,
      ),
    /** Sends from a kind of address that no client knows. Returns its id. */
    sendFromElsewhere: (to?: string): string =>
      post({ from: '1234@interop', type: 'text' }, stanza('enc', { v: '2', type: 'msg' }, randomBytes(64)), to),
    /** Posts a status update that a linked number may see but cannot decrypt. Returns its id. */
    postStatus: (to?: string): string =>
      post(
        {
          from: 'status@broadcast',
          participant: jidOf(contact, true),
          participant_pn: jidOf(contact, false),
          ...{ type: 'media', notify: contact.name },
        },
        stanza('enc', { v: '2', type: 'skmsg' }, randomBytes(64)),
        to,
      ),

    /** Posts a status update in the form that WhatsApp uses since July 2026. */
    postStatusStanza: (to?: string): string =>
      post(
        {
          from: 'status@broadcast',
          participant: jidOf(contact, true),
          participant_pn: jidOf(contact, false),
          ...{ type: 'media', notify: contact.name },
        },
        stanza('enc', { v: '2', type: 'skmsg' }, randomBytes(64)),
        to,
        'status',
      ),

    /** Sends a stanza that no client knows. Returns its id. */
    postUnheardOf: (to?: string): string => post({ from: S_WHATSAPP_NET }, stanza('news'), to, 'appdata'),

    /** Writes in a group whose sender key the linked number lacks. Returns the message's id. */
    postToGroup: (to?: string): string =>
      post(
        {
          from: '120363000000000002@g.us',
          participant: jidOf(contact, true),
          participant_pn: jidOf(contact, false),
          ...{ addressing_mode: 'lid', type: 'text', notify: contact.name },
        },
        stanza('enc', { v: '2', type: 'skmsg' }, randomBytes(64)),
        to,
      ),

    /**
     * Posts to a channel that a linked number follows. The content is not encrypted. Returns its
     * id.
     */
    postToChannel: (to?: string): string =>
      post(
        { from: '120363000000000001@newsletter', server_id: '101', type: 'text' },
        stanza('plaintext', {}, randomBytes(64)),
        to,
      ),

    /**
     * Issues a token to a linked number, with `again` also twice in one week; its clients are
     * notified.
     */
    issueToken(to: string, options?: { again?: boolean }) {
      issueToken(contact, directory.contact(to), now(), options)
    },
    /** Accepts messages only from numbers with a token if true. */
    set demandsToken(demands: boolean) {
      contact.demandsToken = demands
    },
    /** Reachable by LID only if true. */
    set moved(moved: boolean) {
      contact.moved = moved
    },
    changeLid: (options?: { isForgotten: boolean }) => directory.changeLid(contact, options),

    /** Links another device and returns its number. Linked numbers with a chat are notified. */
    addDevice({ silently = false } = {}): number {
      const device = directory.addDevice(contact)
      if (!silently) notifyDevices(contact, 'add', device, directory, now())
      return device
    },
    /** Removes a device. `byHash`: the notification names only a hash. */
    removeDevice(device: number, { byHash = false } = {}) {
      contact.devices.delete(device)
      if (byHash) notifyDevicesByHash(contact, directory, now())
      else notifyDevices(contact, 'remove', device, directory, now())
    },
    /**
     * Keeps the device in the list, but answers queries for its keys with this error: 404 or 406
     * mean that it is not registered.
     */
    withholdKeys(device: number, code: number | undefined) {
      const found = contact.devices.get(device)
      if (!found) throw new Error(`${contact.number} has no device ${device}`)
      found.keysRefused = code
    },
  }
}
export type Recipient = ReturnType<typeof createRecipient>
