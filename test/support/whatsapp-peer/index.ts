import { Curve } from 'baileys'
import { createServerIdentity, type Presents } from './certificate.ts'
import { createDirectory } from './directory.ts'
import { createFaults } from './faults.ts'
import { createJournal } from './journal.ts'
import { startMediaHost } from './media-host.ts'
import { createPairingDesk } from './pairing-code.ts'
import { createPhone, type Waiting } from './phone.ts'
import { createReceipts } from './receipts.ts'
import { createRecipient } from './recipient.ts'
import { createSocketServer } from './server.ts'
import { createSessions } from './session.ts'

export type { Acknowledge, Scope } from './faults.ts'
export type { JournalEntry } from './journal.ts'
export type { Phone } from './phone.ts'
export type { Received } from './received.ts'
export type { Recipient } from './recipient.ts'

export interface PeerOptions {
  /** 0, the default, takes a free one. */
  port?: number
  /** How many QR codes a client gets before it gives up; 6 by default. */
  refs?: number
  /** Recipients decrypt only when a test reads their messages: for benchmarks. Nobody then asks for a retry. */
  lazy?: boolean
  now?: () => number
}

/**
 * A server on 127.0.0.1 that speaks WhatsApp's protocol: real clients link to the phones it simulates, and the
 * people it simulates decrypt what they are sent. Everything it knows survives `stop()` and `start()`.
 */
export async function startWhatsAppPeer({ port = 0, refs = 6, lazy = false, now = Date.now }: PeerOptions = {}) {
  const root = Curve.generateKeyPair()
  let identity = createServerIdentity(root, 'genuine')
  const faults = createFaults()
  const journal = createJournal()
  const media = await startMediaHost()
  const directory = createDirectory(media)
  const receipts = createReceipts(now)
  const waiting: Waiting = { registrations: new Map(), pairings: createPairingDesk() }
  const sessions = createSessions({
    directory,
    faults,
    journal,
    receipts,
    waiting,
    mediaAddress: media.address,
    refCount: refs,
    lazy,
    now,
  })
  const server = createSocketServer(() => identity, faults, sessions)
  await server.open(port)

  return {
    url: `ws://127.0.0.1:${server.port}/ws/chat`,
    /** The public key that the server's certificate goes back to. */
    rootKeyHex: Buffer.from(root.public).toString('hex'),
    /** A client's `fetchAgent`, and the certificate for those who bring their own. */
    mediaAgent: media.agent,
    mediaCa: media.certificate,
    refuseMedia: media.refuse,
    faults,
    journal,

    /** The phone of an owner who links clients. */
    phone(number: string, { name = number }: { name?: string } = {}) {
      const contact = directory.contact(number)
      contact.name = name
      return createPhone(contact, waiting, now)
    },
    /** Somebody on WhatsApp, with one device or more. Numbers that nobody names are so too. */
    recipient(number: string, { name = number, devices = 1 }: { name?: string; devices?: number } = {}) {
      const contact = directory.contact(number)
      contact.name = name
      while (contact.devices.length < devices) directory.addDevice(contact)
      return createRecipient(contact, { receipts, companions: directory.companions, now })
    },
    /** A number that is not on WhatsApp. */
    unknownNumber(number: string) {
      directory.contact(number).onWhatsApp = false
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
