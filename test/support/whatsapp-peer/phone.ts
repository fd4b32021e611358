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

/** Clients that show a code to the owner of a phone. */
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

/** Removes a client from its account; its keys become invalid. */
export function unlink(companion: Companion, now: number, last = closingStanza(401)) {
  const { contact } = companion
  contact.companions.splice(contact.companions.indexOf(companion), 1)
  companion.outbox.disconnect()
  hangUp(companion, last)
  notifyOwnDevices(contact, companion, now)
}

/** Creates the phone of an owner who links clients, with WhatsApp's view of the account. */
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
    /** True if the phone sends its chats to a client that it links. */
    get sendsChats() {
      return account.history === 'sent'
    },
    get isLinked() {
      return contact.companions.length > 0
    },
    get isOnline() {
      return contact.companions.some(({ link }) => link !== undefined)
    },
    /** Device numbers in the phone's list, in the order of linking. */
    get linkedDevices() {
      return contact.companions.map(({ device }) => device)
    },
    /**
     * Number of stanzas that the newest client has not confirmed, has refused, and has not been
     * sent.
     */
    get pending() {
      const { unconfirmed, refused, withheld } = linked().outbox
      return { unconfirmed, refused, withheld }
    },
    /** The passkey ceremony that a scan or a code led to. */
    get passkey() {
      if (account.ceremony === undefined) throw new Error(`${contact.number} was asked for no passkey`)
      return account.ceremony
    },
    /** Signed pre-key of the newest client, as other people get it. */
    get signedPreKey() {
      return linked().signed.value.toString('hex')
    },
    get signedPreKeyId() {
      return linked().signed.id
    },
    /** Number of one-time keys of the newest client that the server has left. */
    get keysLeft() {
      return linked().oneTime.length
    },
    /** Resolves with messages of linked clients, as the owner sees them on the phone. */
    copies: () => phoneOf(contact).inbox.messages(),
    get issuedTokens() {
      return account.issued.map(({ to, address, at }) => ({ to: to.number, address, at }))
    },

    /** Returns the token that a number has issued to this account; `at` in seconds since 1970. */
    tokenOf(number: string): { bytes: Buffer; at: number } {
      const token = account.tokens.get(deps.directory.contact(number))
      if (token === undefined) throw new Error(`${number} has issued no token`)
      return { bytes: token.bytes, at: Math.floor(token.at / 1000) }
    },

    /**
     * Scans a client's QR code. Resolves with `linked` (the client will reconnect), or with
     * `passkey` when the client has acknowledged that WhatsApp demands one.
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
     * Types in a client's pairing code, with or without the dash; waits for a client that shows
     * one.
     */
    async enterCode(code: string): Promise<'linked' | 'passkey'> {
      const pairing = await waiting.pairings.latest(contact.number)
      const secret = await agreeOnSecret(contact, pairing, code.replaceAll('-', '').toUpperCase(), now())
      waiting.pairings.leave(contact.number)
      return linkCompanion(contact, pairing.registration, { secret, versions, now })
    },

    /** The owner removes the linked device; `end` names another form of the last stanza. */
    unlink: (end?: Extract<StreamError, `device removed${string}`>) =>
      unlink(linked(), now(), end === undefined ? undefined : STREAM_ERRORS[end]),
    /** Ends the connection; the device stays linked except with 401. */
    disconnect(how: number | StreamError) {
      if (how === 401) return unlink(linked(), now())
      hangUp(linked(), typeof how === 'number' ? closingStanza(how) : STREAM_ERRORS[how])
    },
    /** Posts any stanza for the newest client, with an id and a time. Returns the id. */
    post(node: BinaryNode): string {
      const id = randomBytes(16).toString('hex').toUpperCase()
      linked().outbox.post({ ...node, attrs: { ...node.attrs, id, t: seconds(now()) } })
      return id
    },
    /** Sends the newest client `success` again. */
    welcomeAgain: (attrs: Record<string, string>) => linked().link?.send({ tag: 'success', attrs }),
    /** Sends the newest client a frame that it cannot decrypt. */
    garble: () => linked().link?.garble(),
    /** Sends the newest client any bytes in place of a stanza. */
    sendBytes: (bytes: Uint8Array) => linked().link?.sendBytes(bytes),
    /** Stops sending to the newest client; what it sends is still accepted. */
    mute: () => linked().outbox.mute(),
    /** Sends everything again from its next connection on. */
    unmute: () => linked().outbox.unmute(),
    /** Ends the connection because the same device connected elsewhere. */
    replace: () => hangUp(linked(), closingStanza(440)),

    /**
     * Refuses every login with these attributes, such as `reason`, and ends open connections with
     * them.
     */
    refuse(attributes: Record<string, string> | undefined) {
      account.refusal = attributes && (() => attributes)
      if (attributes) endAll(failure(attributes))
    },
    /** Bans the account for a time: each login is refused with the seconds that are left. */
    ban({ code, seconds }: { code: number; seconds: number }) {
      const end = now() + seconds * 1000
      account.refusal = () => {
        const left = Math.ceil((end - now()) / 1000)
        return left > 0 ? { reason: '402', code: String(code), expire: String(left) } : undefined
      }
      endAll(failure({ reason: '402', code: String(code), expire: String(seconds) }))
    },

    /** Locks messages to strangers; clients are notified unless `silently`. */
    lock({ ms, type = 'DEFAULT', silently = false }: { ms: number; type?: string; silently?: boolean }) {
      account.reach.lock = { endsAt: now() + ms, type }
      if (!silently) notifyReach(contact, 'lock', now())
    },
    unlock() {
      account.reach.lock = undefined
      notifyReach(contact, 'lock', now())
    },
    /** Locks the account after so many strangers from here on. */
    lockAfter(strangers: number, ms: number, type = 'RESTRICT_ALL_COMPANIONS') {
      account.reach.lockAfter = { strangers, ms, type }
    },
    /** Caps new chats until the cycle ends; clients are notified unless `silently`. */
    cap({
      silently = false,
      ...cap
    }: Omit<NonNullable<Reach['cap']>, 'cycleStartsAt' | 'used'> & { used?: number; silently?: boolean }) {
      account.reach.cap = { used: 0, ...cap, cycleStartsAt: now() }
      if (!silently) notifyReach(contact, 'cap', now())
    },
    /** Removes lock and cap, and resets the counters. */
    forgetReach() {
      account.reach = createReach()
    },

    /**
     * Stores the salt in the account's settings, or removes it, and notifies clients. Clients get
     * the key of the settings when they link, or here if the settings are new.
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
    tellSettings() {
      for (const { outbox } of contact.companions) outbox.post(settingsChanged(this.settings, now()))
    },
    /** Settings of the account, which tests may damage. */
    get settings() {
      if (account.settings === undefined) throw new Error(`${contact.number} has no settings`)
      return account.settings
    },

    setProp: (code: number, value: string) => setProp(account, code, value),
    /** Migrates the account to LIDs and sends the newest client the LIDs of these people. */
    async migrate(people: string[] = []) {
      account.kind = 'migrated'
      setProp(account, 9435, '1')
      await sendMigration(contact, linked(), people.map(deps.directory.contact), now())
    },
    /** Gives the account earlier chats with these numbers. */
    knows(...numbers: string[]) {
      for (const number of numbers) account.chats.add(deps.directory.contact(number))
    },
    sendHistory: (chunk: HistoryChunk, { inline = false } = {}) =>
      sendHistory(contact, linked(), chunk, { inline, host: deps.media, now: now() }),
    /**
     * The owner writes to a person or a bot on the phone. The newest client gets a copy; resolves
     * with its id.
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
     * The owner's phone asks for its copy of a message again, by LID or number as the chat or
     * `byLid` says.
     */
    askRetry: (id: string, byLid?: boolean) => deps.receipts.askAgainFromOwnPhone(id, byLid),
  }
}
export type Phone = ReturnType<typeof createPhone>
