import { freePort } from '../free-port.ts'
import type { AccountOptions } from './account.ts'
import { createServerIdentity, type Presents, whatsApp } from './certificate.ts'
import { createDirectory } from './directory.ts'
import { createFaults } from './faults.ts'
import { createGroup, type GroupOptions } from './group.ts'
import { createGroups } from './groups.ts'
import { createJournal } from './journal.ts'
import { startMediaHost } from './media-host.ts'
import { createPairings } from './pairing-code.ts'
import { createPhone, type Waiting } from './phone.ts'
import { createReceipts } from './receipts.ts'
import { createRecipient } from './recipient.ts'
import { createSocketServer } from './server.ts'
import { createSessions } from './session.ts'
import { createVersions } from './versions.ts'

export type { AccountKind, AccountOptions } from './account.ts'
export type { Acknowledge, Scope } from './faults.ts'
export type { GroupControl, GroupOptions } from './group.ts'
export type { HistoryChat, HistoryChunk } from './history-chunk.ts'
export type { JournalEntry, Login, LookUp } from './journal.ts'
export type { Phone } from './phone.ts'
export type { Received } from './received.ts'
export type { Recipient } from './recipient.ts'

export interface PeerOptions {
  /** QR codes that a client gets before it gives up. Default: 6. */
  refs?: number
  /**
   * Recipients decrypt only when a test reads their messages, and ask for no retry. For benchmarks.
   */
  lazy?: boolean
  /**
   * Lets a client that links upload five one-time keys instead of 812, which take most of the time
   * of a link.
   */
  fewKeys?: boolean
  now?: () => number
}

export interface RecipientOptions {
  name?: string
  /** Number of devices, including the phone. */
  devices?: number
  /** Adds a device of a business platform. */
  hosted?: boolean
}

/**
 * Starts a server on 127.0.0.1 that speaks WhatsApp's protocol. Real clients link to its simulated
 * phones, and simulated people decrypt their messages. State survives `stop()` and `start()`.
 * README.md has the rules and their sources.
 */
export async function startWhatsAppPeer({ refs = 6, lazy = false, fewKeys = false, now = Date.now }: PeerOptions = {}) {
  const { root, genuine } = whatsApp()
  let identity = genuine
  const faults = createFaults()
  const journal = createJournal()
  const versions = createVersions()
  const media = await startMediaHost()
  const directory = createDirectory(media)
  const groups = createGroups()
  const receipts = createReceipts(directory, journal, now)
  const waiting: Waiting = { registrations: new Map(), pairings: createPairings() }
  const sessions = createSessions({
    ...{ directory, faults, groups, journal, media, receipts, versions, waiting, lazy, fewKeys, now },
    mediaHosts: () => media.named,
    refCount: refs,
  })
  const server = createSocketServer(() => identity, faults, {
    ...sessions,
    onConnection: () => journal.addConnection(now()),
  })
  const port = await freePort()
  await server.open(port)

  return {
    url: `ws://127.0.0.1:${port}/ws/chat`,
    rootKeyHex: Buffer.from(root.public).toString('hex'),
    /** Agent for a client's `fetchAgent`, and the certificate for other HTTP clients. */
    mediaAgent: media.agent,
    mediaCa: media.certificate,
    refuseMedia: media.refuse,
    media,
    faults,
    journal,
    versions,

    /** Returns the phone of an owner who links clients. */
    phone(number: string, { name, ...account }: { name?: string } & AccountOptions = {}) {
      const contact = directory.contact(number)
      contact.name = name ?? contact.name
      return createPhone(contact, account, { waiting, directory, receipts, versions, media, now })
    },
    /** Returns a person on WhatsApp. Numbers that no test names are on WhatsApp too. */
    recipient(number: string, { name, devices = 1, hosted = false }: RecipientOptions = {}) {
      const contact = directory.contact(number)
      contact.name = name ?? contact.name
      while (contact.devices.size < devices) directory.addDevice(contact)
      if (hosted) directory.addDevice(contact, { hosted })
      return createRecipient(contact, { receipts, directory, now })
    },
    /** Creates a group. Its members are on WhatsApp. */
    group: (name: string, options: GroupOptions) => createGroup(name, options, { directory, groups, now }),
    unknownNumber(number: string) {
      directory.contact(number).onWhatsApp = false
    },
    /** Resolves with the decrypted messages that a device got under this id, once per arrival. */
    async opened(jid: string, id: string) {
      const found = directory.find(jid)
      const messages = (await found?.contact.devices.get(found.device)?.inbox.messages()) ?? []
      return messages.filter((message) => message.id === id).map(({ raw }) => raw)
    },
    /**
     * Resolves with the decrypted messages under this id from the first member's phone that has
     * any.
     */
    async openedInGroup(jid: string, id: string) {
      for (const { devices } of groups.find(jid)?.members.keys() ?? []) {
        const found = (await devices.get(0)?.inbox.messages())?.filter((message) => message.id === id) ?? []
        if (found.length > 0) return found.map(({ raw }) => raw)
      }
      return []
    },
    /** Returns the decrypted sender keys that a device got with a group message. */
    keysInGroup(jid: string, id: string) {
      const found = directory.find(jid)
      const all = found?.contact.devices.get(found.device)?.inbox.distributions ?? []
      return all.filter((one) => one.id === id).map(({ raw }) => raw)
    },
    present(presents: Presents) {
      identity = createServerIdentity(root, presents)
    },

    /** Drops all connections and refuses new ones until `start`. */
    stop: server.close,
    start: () => server.open(port),
    async close() {
      faults.thaw()
      await server.close()
      await media.close()
    },
  }
}
export type WhatsAppPeer = Awaited<ReturnType<typeof startWhatsAppPeer>>
