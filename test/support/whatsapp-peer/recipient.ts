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

/** Somebody who gets messages, answers them and says that they were read. */
export function createRecipient(contact: Contact, { receipts, directory, now }: RecipientDeps) {
  const phone = phoneOf(contact)
  const habits = receipts.habitsOf(contact)

  function myBundle(companion: Companion) {
    const bundle = takeBundle(companion.contact, companion.device)
    if (!bundle) throw new Error(`device ${companion.device} is no longer linked`)
    return bundle
  }

  /** The clients of a linked number; without one named, of the only one. */
  function clientsOf(to: string | undefined): Companion[] {
    const targets = directory.companions().filter((one) => to === undefined || one.contact.number === to)
    const account = targets[0]?.contact
    if (!account || targets.some((one) => one.contact !== account)) throw new Error('say which linked number')
    return targets
  }

  /** Sealed, and not posted yet. */
  let held: (() => void)[] = []

  /** The newest message of this person. */
  let last: BinaryNode | undefined

  /**
   * Posts to every linked device of an account without a session of its own. Resolves with the id.
   */
  function post(attrs: Record<string, string>, content: BinaryNode, to: string | undefined, tag = 'message'): string {
    const id = randomBytes(16).toString('hex').toUpperCase()
    for (const { outbox } of clientsOf(to)) outbox.post(stanza(tag, { ...attrs, id, t: seconds(now()) }, [content]))
    return id
  }

  return {
    number: contact.number,
    get lid() {
      return contact.lid
    },

    /**
     * All messages so far, decrypted, in the order of arrival; one that arrived twice is here
     * twice.
     */
    messages: () => phone.inbox.messages(),
    /** Waits for the next message that `next` has not returned before. */
    next: () => phone.inbox.next(),
    /** Messages that could not be decrypted, and why. */
    unreadable: phone.inbox.unreadable,
    /** Messages of another device of this person; 0 is the phone. */
    onDevice: (device: number) => contact.devices.get(device)?.inbox,

    set receipts(mode: ReceiptHabits['receipts']) {
      habits.receipts = mode
    },
    set answersFrom(address: ReceiptHabits['answersFrom']) {
      habits.answersFrom = address
    },
    deliver: (id: string) => receipts.delivered(contact, id),
    read: (id: string) => receipts.read(contact, id),
    /** Beside other members of a group. */
    readTogether: (id: string, others: readonly string[]) =>
      receipts.readTogether([contact, ...others.map((number) => directory.contact(number))], id),
    /**
     * Installs WhatsApp again: what is sent in an old session cannot be read, and is asked for
     * again.
     */
    reinstall: () => phone.signal.reinstall(),
    /** Says that a message could not be decrypted: the sender has to send it again. */
    askRetry: (id: string, device?: number) => receipts.askAgain(contact, id, device),

    /**
     * Writes to a linked number, from the phone or another device; without one named, to the only
     * one. Bytes are sealed as they are. Without an alternative it names one address only. What is
     * `late` comes when `release` is called. Resolves with the message's id.
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
      // Who writes to somebody trusts them, and their client says so to the server.
      if (isStrict(account.account)) issueToken(contact, account, now())
      return id
    },
    /** Posts what was sealed earlier. */
    release() {
      for (const post of held) post()
      held = []
    },
    /** The server brings again what this person wrote last. Returns its id. */
    repeat(to?: string): string {
      if (last === undefined) throw new Error(`${contact.number} has written nothing`)
      for (const { outbox } of clientsOf(to)) outbox.post(last)
      return last.attrs.id ?? ''
    },
    /** Seals so many messages for a linked number that never leave. */
    async skip(count: number, to?: string) {
      for (const companion of clientsOf(to)) {
        const seal = () =>
          phone.signal.seal(signalName(companion.contact), companion.device, { conversation: '' }, () =>
            myBundle(companion),
          )
        for (let n = 0; n < count; n += 1) await seal()
      }
    },
    /** Begins a new session with the next message. */
    forgetSessions: () => phone.signal.forgetSessions(),
    /** Sends what nobody can read. Resolves with its id. */
    sendUnreadable: (ciphertext: Buffer, to?: string): string =>
      post(
        { from: jidOf(contact, true), sender_pn: jidOf(contact, false), type: 'text', notify: contact.name },
        stanza('enc', { v: '2', type: 'msg' }, ciphertext),
        to,
      ),
    /** A prompt to Meta AI, or its answer. Resolves with its id. */
    sendToBot: (to?: string): string =>
      post({ from: jidOf(contact, true), type: 'text' }, stanza('enc', { v: '2', type: 'msmsg' }, randomBytes(64)), to),
    /**
     * Says that somebody else is the recipient, which only the owner's own devices may say.
     * Resolves with its id.
     */
    sendAsOwner: (to?: string): string =>
      post(
        { from: jidOf(contact, true), recipient: jidOf(contact, true), type: 'text' },
        stanza('enc', { v: '2', type: 'msg' }, randomBytes(64)),
        to,
      ),
    /** Comes from an address of a kind that no client knows. Resolves with its id. */
    sendFromElsewhere: (to?: string): string =>
      post({ from: '1234@interop', type: 'text' }, stanza('enc', { v: '2', type: 'msg' }, randomBytes(64)), to),
    /** Posts a status that a linked number may see but cannot decrypt. Resolves with its id. */
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

    /** The same as it has come since July 2026. */
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

    /** The server sends what no client has heard of. Resolves with its id. */
    postUnheardOf: (to?: string): string => post({ from: S_WHATSAPP_NET }, stanza('news'), to, 'appdata'),

    /** Writes in a group, whose key the linked number has not got. Resolves with its id. */
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
     * Posts to a channel that a linked number follows; what is in it is not encrypted. Resolves
     * with its id.
     */
    postToChannel: (to?: string): string =>
      post(
        { from: '120363000000000001@newsletter', server_id: '101', type: 'text' },
        stanza('plaintext', {}, randomBytes(64)),
        to,
      ),

    /** Trusts a linked number, again in the same week as well; its clients are notified. */
    issueToken(to: string, options?: { again?: boolean }) {
      issueToken(contact, directory.contact(to), now(), options)
    },
    /** Takes messages only from numbers that it trusts. */
    set demandsToken(demands: boolean) {
      contact.demandsToken = demands
    },
    /** Is reached by LID only from now on. */
    set moved(moved: boolean) {
      contact.moved = moved
    },
    /** Gets another LID. */
    changeLid: (options?: { isForgotten: boolean }) => directory.changeLid(contact, options),

    /** Links another device; linked numbers that have a chat are notified. Returns its number. */
    addDevice({ silently = false } = {}): number {
      const device = directory.addDevice(contact)
      if (!silently) notifyDevices(contact, 'add', device, directory, now())
      return device
    },
    /** Removes a device; the notification may name only a hash. */
    removeDevice(device: number, { byHash = false } = {}) {
      contact.devices.delete(device)
      if (byHash) notifyDevicesByHash(contact, directory, now())
      else notifyDevices(contact, 'remove', device, directory, now())
    },
    /**
     * The device stays in the list, but questions for its keys get this error: 404 or 406 when it
     * is not registered.
     */
    withholdKeys(device: number, code: number | undefined) {
      const found = contact.devices.get(device)
      if (!found) throw new Error(`${contact.number} has no device ${device}`)
      found.keysRefused = code
    },
  }
}
export type Recipient = ReturnType<typeof createRecipient>
