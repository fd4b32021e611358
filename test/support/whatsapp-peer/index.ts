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
  /** 0, the default, takes a free one. */
  port?: number
  /** How many QR codes a client gets before it gives up; 6 by default. */
  refs?: number
  /**
   * Recipients decrypt only when a test reads their messages: for benchmarks. Nobody then asks for
   * a retry.
   */
  lazy?: boolean
  /**
   * A client that links makes five keys for those who write to it, not 812, which take most of the
   * time of a link.
   */
  fewKeys?: boolean
  now?: () => number
}

export interface RecipientOptions {
  name?: string
  /** How many devices; the first is the phone. */
  devices?: number
  /** One more belongs to a business platform. */
  hosted?: boolean
}

/**
 * A server on 127.0.0.1 that speaks WhatsApp's protocol: real clients link to the phones it
 * simulates, and the people it simulates decrypt what they are sent. Everything it knows survives
 * `stop()` and `start()`. Its rules and where they come from: README.md.
 */
export async function startWhatsAppPeer({
  port = 0,
  refs = 6,
  lazy = false,
  fewKeys = false,
  now = Date.now,
}: PeerOptions = {}) {
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
  await server.open(port)

  return {
    url: `ws://127.0.0.1:${server.port}/ws/chat`,
    /** The public key that the server's certificate goes back to. */
    rootKeyHex: Buffer.from(root.public).toString('hex'),
    /** A client's `fetchAgent`, and the certificate for those who bring their own. */
    mediaAgent: media.agent,
    mediaCa: media.certificate,
    refuseMedia: media.refuse,
    media,
    faults,
    journal,
    versions,

    /** The phone of an owner who links clients. */
    phone(number: string, { name, ...account }: { name?: string } & AccountOptions = {}) {
      const contact = directory.contact(number)
      contact.name = name ?? contact.name
      return createPhone(contact, account, { waiting, directory, receipts, versions, media, now })
    },
    /** Somebody on WhatsApp. Numbers that nobody names are so too. */
    recipient(number: string, { name, devices = 1, hosted = false }: RecipientOptions = {}) {
      const contact = directory.contact(number)
      contact.name = name ?? contact.name
      while (contact.devices.size < devices) directory.addDevice(contact)
      if (hosted) directory.addDevice(contact, { hosted })
      return createRecipient(contact, { receipts, directory, now })
    },
    /** A group; its members that nobody names are on WhatsApp. */
    group: (name: string, options: GroupOptions) => createGroup(name, options, { directory, groups, now }),
    /** A number that is not on WhatsApp. */
    unknownNumber(number: string) {
      directory.contact(number).onWhatsApp = false
    },
    /** Messages that a device got under this id, decrypted; once for each time that one arrived. */
    async opened(jid: string, id: string) {
      const found = directory.find(jid)
      const messages = (await found?.contact.devices.get(found.device)?.inbox.messages()) ?? []
      return messages.filter((message) => message.id === id).map(({ raw }) => raw)
    },
    /** The messages under this id that the phone of some member of a group got, decrypted. */
    async openedInGroup(jid: string, id: string) {
      for (const { devices } of groups.find(jid)?.members.keys() ?? []) {
        const found = (await devices.get(0)?.inbox.messages())?.filter((message) => message.id === id) ?? []
        if (found.length > 0) return found.map(({ raw }) => raw)
      }
      return []
    },
    /** Sender keys that came to a device with a message of a group, decrypted. */
    keysInGroup(jid: string, id: string) {
      const found = directory.find(jid)
      const all = found?.contact.devices.get(found.device)?.inbox.distributions ?? []
      return all.filter((one) => one.id === id).map(({ raw }) => raw)
    },
    /** The certificate that new connections see. */
    present(presents: Presents) {
      identity = createServerIdentity(root, presents)
    },

    /** All connections drop and new ones are refused, until `start`. */
    stop: server.close,
    start: server.reopen,
    async close() {
      faults.thaw()
      await server.close()
      await media.close()
    },
  }
}
export type WhatsAppPeer = Awaited<ReturnType<typeof startWhatsAppPeer>>
