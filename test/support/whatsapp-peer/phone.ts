import { randomBytes } from 'node:crypto'
import type { BinaryNode, proto } from 'baileys'
import type { AccountOptions } from './account.ts'
import { closingStanza, failure, STREAM_ERRORS, type StreamError } from './closing.ts'
import { notifyOwnDevices } from './device-notifications.ts'
import { type Companion, type Contact, type Directory, jidOf, phoneOf } from './directory.ts'
import type { HistoryChunk } from './history-chunk.ts'
import type { MediaHost } from './media-host.ts'
import { notifyReach } from './mex.ts'
import { agreeOnSecret, type Pairings } from './pairing-code.ts'
import { sendCopy, sendHistory, sendMigration, shareSettingsKey } from './phone-history.ts'
import { setProp } from './props.ts'
import { createReach, type Reach } from './reach.ts'
import type { Receipts } from './receipts.ts'
import { isExpired, linkCompanion, type Registration } from './registration.ts'
import { changeSettings, makeSnapshot, NCT_SALT, newSettings, saltAction, settingsChanged } from './settings.ts'
import { seconds } from './stanza.ts'
import type { Versions } from './versions.ts'

/** Clients that show something to the owner of a phone. */
export interface Waiting {
  /** By the ref in the QR code. */
  registrations: Map<string, Registration>
  pairings: Pairings
}

export interface PhoneDeps {
  waiting: Waiting
  directory: Directory
  receipts: Receipts
  versions: Versions
  media: MediaHost
  now(): number
}

const hangUp = ({ link }: Companion, last: BinaryNode | undefined) => {
  if (last) link?.end(last)
  else link?.cut()
}

/** Takes a client off its account: its keys are worth nothing from now on. */
export function unlink(companion: Companion, now: number, last = closingStanza(401)) {
  const { contact } = companion
  contact.companions.splice(contact.companions.indexOf(companion), 1)
  companion.outbox.disconnect()
  hangUp(companion, last)
  notifyOwnDevices(contact, companion, now)
}

/** The phone of somebody who links clients, and what WhatsApp makes of the account. */
export function createPhone(contact: Contact, options: AccountOptions, deps: PhoneDeps) {
  const { waiting, versions, now } = deps
  const { account } = contact
  Object.assign(account, options)
  if (account.kind === 'migrated') account.props.set(9435, '1')

  const linked = (): Companion => {
    const companion = contact.companions.at(-1)
    if (!companion) throw new Error(`${contact.number} has no linked device`)
    return companion
  }
  const endAll = (last: BinaryNode) => {
    for (const companion of contact.companions) hangUp(companion, last)
  }

  return {
    number: contact.number,
    lid: contact.lid,
    /** True if it sends its chats to a client that it links. */
    get sendsChats() {
      return account.history === 'sent'
    },
    get isLinked() {
      return contact.companions.length > 0
    },
    get isOnline() {
      return contact.companions.some(({ link }) => link !== undefined)
    },
    /** The numbers of the devices in the phone's list, in the order in which they were linked. */
    get linkedDevices() {
      return contact.companions.map(({ device }) => device)
    },
    /**
     * Changes that the newest client has not taken note of, those that it refused, and those that
     * the server keeps back.
     */
    get pending() {
      const { unconfirmed, refused, withheld } = linked().outbox
      return { unconfirmed, refused, withheld }
    },
    /** The ceremony that follows where a scan or a code leads to a passkey. */
    get passkey() {
      if (account.ceremony === undefined) throw new Error(`${contact.number} was asked for no passkey`)
      return account.ceremony
    },
    /** The signed pre-key of the newest client, which those who write are given. */
    get signedPreKey() {
      return linked().signed.value.toString('hex')
    },
    get signedPreKeyId() {
      return linked().signed.id
    },
    /** How many keys for those who begin a session the server has of the newest client. */
    get keysLeft() {
      return linked().oneTime.length
    },
    /** Messages of linked clients, as the owner sees them on the phone. */
    copies: () => phoneOf(contact).inbox.messages(),
    /** The tokens that this account has issued. */
    get issuedTokens() {
      return account.issued.map(({ to, address, at }) => ({ to: to.number, address, at }))
    },

    /**
     * The token that somebody has issued to this account, as the phone hands it to its clients;
     * `at` in seconds.
     */
    tokenOf(number: string): { bytes: Buffer; at: number } {
      const token = account.tokens.get(deps.directory.contact(number))
      if (token === undefined) throw new Error(`${number} has issued no token`)
      return { bytes: token.bytes, at: Math.floor(token.at / 1000) }
    },

    /**
     * Scans what a client shows as a QR code. Resolves when the client is linked (it will connect
     * again), or when it has confirmed that WhatsApp wants a passkey.
     */
    async scan(qr: string): Promise<'linked' | 'passkey'> {
      const [ref = '', noiseKey = '', identity = '', secret = ''] = qr.slice(qr.indexOf('#') + 1).split(',')
      const registration = waiting.registrations.get(ref)
      if (!registration || isExpired(registration, ref, now())) throw new Error('the QR code has expired')
      if (
        registration.noiseKey.toString('base64') !== noiseKey ||
        registration.identity.toString('base64') !== identity
      ) {
        throw new Error('the QR code has other keys than the client that shows it')
      }
      return linkCompanion(contact, registration, { secret: Buffer.from(secret, 'base64'), versions, now })
    },

    /**
     * Types in the code that a client shows for this number, with or without its dash; waits for
     * such a client.
     */
    async enterCode(code: string): Promise<'linked' | 'passkey'> {
      const pairing = await waiting.pairings.latest(contact.number)
      const secret = await agreeOnSecret(contact, pairing, code.replaceAll('-', '').toUpperCase(), now())
      waiting.pairings.leave(contact.number)
      return linkCompanion(contact, pairing.registration, { secret, versions, now })
    },

    /** The owner removes the linked device; `end` says it in another way. */
    unlink: (end?: Extract<StreamError, `device removed${string}`>) =>
      unlink(linked(), now(), end === undefined ? undefined : STREAM_ERRORS[end]),
    /** The server ends the connection; the device stays linked except with 401. */
    disconnect(how: number | StreamError) {
      if (how === 401) return unlink(linked(), now())
      hangUp(linked(), typeof how === 'number' ? closingStanza(how) : STREAM_ERRORS[how])
    },
    /** The server has any stanza for the newest client, with an id and a time. Returns its id. */
    post(node: BinaryNode): string {
      const id = randomBytes(16).toString('hex').toUpperCase()
      linked().outbox.post({ ...node, attrs: { ...node.attrs, id, t: seconds(now()) } })
      return id
    },
    /** The server welcomes the newest client again. */
    welcomeAgain: (attrs: Record<string, string>) => linked().link?.send({ tag: 'success', attrs }),
    /** A frame that the newest client cannot open. */
    garble: () => linked().link?.garble(),
    /** Any bytes where the newest client expects a stanza. */
    sendBytes: (bytes: Uint8Array) => linked().link?.sendBytes(bytes),
    /** The server goes on to take what the newest client says, and brings it nothing else. */
    mute: () => linked().outbox.mute(),
    /** From its next connection on it gets everything again. */
    unmute: () => linked().outbox.unmute(),
    /** The same device has connected from elsewhere. */
    replace: () => hangUp(linked(), closingStanza(440)),

    /**
     * From now on every login fails with these attributes, `reason` first of all; connections end
     * with them too.
     */
    refuse(attributes: Record<string, string> | undefined) {
      account.refusal = attributes && (() => attributes)
      if (attributes) endAll(failure(attributes))
    },
    /** A ban for a time: each login is refused with the seconds that are left, until none are. */
    ban({ code, seconds }: { code: number; seconds: number }) {
      const end = now() + seconds * 1000
      account.refusal = () => {
        const left = Math.ceil((end - now()) / 1000)
        return left > 0 ? { reason: '402', code: String(code), expire: String(left) } : undefined
      }
      endAll(failure({ reason: '402', code: String(code), expire: String(seconds) }))
    },

    /** WhatsApp locks messages to strangers; the clients are notified unless `silently`. */
    lock({ ms, type = 'DEFAULT', silently = false }: { ms: number; type?: string; silently?: boolean }) {
      account.reach.lock = { endsAt: now() + ms, type }
      if (!silently) notifyReach(contact, 'lock', now())
    },
    unlock() {
      account.reach.lock = undefined
      notifyReach(contact, 'lock', now())
    },
    /** From now on so many strangers lock the account. */
    lockAfter(strangers: number, ms: number, type = 'RESTRICT_ALL_COMPANIONS') {
      account.reach.lockAfter = { strangers, ms, type }
    },
    /**
     * WhatsApp caps new chats: at most so many until the cycle ends; the clients are notified
     * unless `silently`.
     */
    cap({
      silently = false,
      ...cap
    }: Omit<NonNullable<Reach['cap']>, 'cycleStartsAt' | 'used'> & { used?: number; silently?: boolean }) {
      account.reach.cap = { used: 0, ...cap, cycleStartsAt: now() }
      if (!silently) notifyReach(contact, 'cap', now())
    },
    /** Neither lock nor cap, and nobody was counted. */
    forgetReach() {
      account.reach = createReach()
    },

    /**
     * The account has this salt in its settings, or none any more; its clients are told of it. They
     * get the key of the settings when they are linked, or now.
     */
    async keepSalt(salt: Buffer | undefined) {
      const isNew = account.settings === undefined
      account.settings ??= newSettings()
      changeSettings(account.settings, NCT_SALT, salt && saltAction(salt))
      if (isNew) await makeSnapshot(account.settings, deps.media)
      account.salt = salt
      for (const companion of contact.companions) {
        if (isNew) await shareSettingsKey(companion, now())
      }
      this.tellSettings()
    },
    /** The server tells the clients that there are newer settings. */
    tellSettings() {
      for (const { outbox } of contact.companions) outbox.post(settingsChanged(this.settings, now()))
    },
    /** The settings of the account, for tests that harm them. */
    get settings() {
      if (account.settings === undefined) throw new Error(`${contact.number} has no settings`)
      return account.settings
    },

    setProp: (code: number, value: string) => setProp(account, code, value),
    /**
     * The account is moved to LIDs, as WhatsApp does one day; the newest client is sent the pairs.
     */
    async migrate(people: string[] = []) {
      account.kind = 'migrated'
      setProp(account, 9435, '1')
      await sendMigration(contact, linked(), people.map(deps.directory.contact), now())
    },
    /** The account had a chat with these numbers before. */
    knows(...numbers: string[]) {
      for (const number of numbers) account.chats.add(deps.directory.contact(number))
    },
    /** Sends the newest client a chunk of the history. */
    sendHistory: (chunk: HistoryChunk, { inline = false } = {}) =>
      sendHistory(contact, linked(), chunk, { inline, host: deps.media, now: now() }),
    /**
     * The owner writes to somebody, or to a bot, on the phone. The newest client gets a copy;
     * resolves with its id.
     */
    write(
      to: string,
      content: proto.IMessage,
      how: 'by LID' | 'by number' | 'by number and LID' | 'to a bot' | 'to a bot by number',
      { unreadable = false } = {},
    ): Promise<string> {
      const other = deps.directory.contact(to)
      const isLid = how === 'by LID' || how === 'to a bot'
      return sendCopy(contact, linked(), content, {
        from: jidOf(contact, isLid),
        recipient: how.startsWith('to a bot') ? '867051314767696@bot' : jidOf(other, isLid),
        ...(how === 'by LID' ? { peer_recipient_pn: jidOf(other, false) } : {}),
        ...(how === 'by number and LID' ? { peer_recipient_lid: jidOf(other, true) } : {}),
        t: seconds(now()),
        unreadable,
      })
    },
    /**
     * The owner's phone could not read its copy of a message and asks for it again, in the form of
     * the chat or as said.
     */
    askRetry: (id: string, byLid?: boolean) => deps.receipts.askAgainFromOwnPhone(id, byLid),
  }
}
export type Phone = ReturnType<typeof createPhone>
