import { type Account, createAccount } from './account.ts'
import { hostedJid, lidJid, lidOf, parseJid, phoneJid } from './address.ts'
import { createInbox, type Inbox } from './inbox.ts'
import type { Link } from './link.ts'
import type { MediaHost } from './media-host.ts'
import type { Outbox } from './outbox.ts'
import { createSignalDevice, type KeyBundle, type PublicKey, type SignalDevice } from './signal.ts'

/** A phone, or another device of the same person, that this server simulates. */
export interface SimulatedDevice {
  signal: SignalDevice
  inbox: Inbox
  /**
   * The error that a question for its keys gets instead: 404 and 406 where it is not registered any
   * more.
   */
  keysRefused: number | undefined
  /** It belongs to a business platform: encrypted for in groups only. */
  hosted: boolean
}

/** A real client, linked to a simulated phone. */
export interface Companion {
  contact: Contact
  device: number
  noiseKey: Buffer
  identity: Buffer
  registrationId: number
  signed: KeyBundle['signed']
  oneTime: PublicKey[]
  outbox: Outbox
  link: Link | undefined
  /** The phone has not sent it its chats. */
  isNew: boolean
  /** The build that it logged in with last. */
  build: number
}

/** Someone who has, or has not, WhatsApp. Device 0 is the phone. */
export interface Contact {
  number: string
  lid: string
  /**
   * LIDs that were theirs before: messages to them arrive, and the server asks to look the LID up
   * again.
   */
  formerLids: Set<string>
  name: string
  onWhatsApp: boolean
  /** Reached by LID only: the phone-number form is refused with 463. */
  moved: boolean
  /** Takes messages only from accounts that it has issued a token to. */
  demandsToken: boolean
  devices: Map<number, SimulatedDevice>
  companions: Companion[]
  /** Device numbers are never used twice. */
  nextDevice: number
  account: Account
}

/** The number of devices of business platforms. */
export const HOSTED_DEVICE = 99

export const jidOf = (contact: Contact, lid: boolean, device = 0) =>
  lid ? lidJid(contact.lid, device) : phoneJid(contact.number, device)

/** The same, with the server that hosted devices have. */
export const deviceJidOf = (contact: Contact, lid: boolean, device: number) =>
  contact.devices.get(device)?.hosted
    ? hostedJid(lid ? contact.lid : contact.number, lid, device)
    : jidOf(contact, lid, device)

/** Signal sessions are kept per person and device, whichever address a stanza has. */
export const signalName = (contact: Contact) => `${lidOf(contact.number)}_1`

export function phoneOf({ devices, number }: Contact): SimulatedDevice {
  const phone = devices.get(0)
  if (!phone) throw new Error(`${number} has no phone`)
  return phone
}

/** All devices of a person, simulated or real, in the order of their numbers. */
export const deviceIds = ({ devices, companions }: Contact): number[] =>
  [...devices.keys(), ...companions.map(({ device }) => device)].sort((a, b) => a - b)

/**
 * Everybody. A number that nobody named is on WhatsApp, with one device, from the first time it is
 * looked up.
 */
export function createDirectory(mediaHost: MediaHost) {
  const byNumber = new Map<string, Contact>()
  const byLid = new Map<string, Contact>()

  function addDevice(contact: Contact, { hosted = false } = {}): number {
    const signal = createSignalDevice()
    const id = hosted ? HOSTED_DEVICE : contact.nextDevice
    contact.devices.set(id, { signal, inbox: createInbox(signal, mediaHost), keysRefused: undefined, hosted })
    if (!hosted) contact.nextDevice += 1
    return id
  }

  function contact(number: string): Contact {
    const known = byNumber.get(number)
    if (known) return known
    const added: Contact = {
      number,
      lid: lidOf(number),
      formerLids: new Set(),
      name: number,
      onWhatsApp: true,
      moved: false,
      demandsToken: false,
      devices: new Map(),
      companions: [],
      nextDevice: 0,
      account: createAccount(),
    }
    byNumber.set(number, added)
    byLid.set(added.lid, added)
    addDevice(added)
    return added
  }

  return {
    contact,
    addDevice,
    /** Another LID from now on, as after a change of number; the one before may be nobody's. */
    changeLid(contact: Contact, { isForgotten = false } = {}) {
      if (isForgotten) byLid.delete(contact.lid)
      contact.formerLids.add(contact.lid)
      contact.lid = lidOf(`${contact.number} ${contact.formerLids.size}`)
      byLid.set(contact.lid, contact)
    },
    /** The person of a jid; a LID that was never given out means nobody. */
    find(jid: string | undefined): { contact: Contact; device: number; isLid: boolean } | undefined {
      const address = parseJid(jid)
      if (!address) return undefined
      const { isLid, device, user } = address
      const found = isLid ? byLid.get(user) : contact(user)
      return found && { contact: found, device, isLid }
    },
    companions: () => [...byNumber.values()].flatMap(({ companions }) => companions),
  }
}
export type Directory = ReturnType<typeof createDirectory>
