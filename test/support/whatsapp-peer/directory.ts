import { type Account, createAccount } from './account.ts'
import { hostedJid, lidJid, lidOf, parseJid, phoneJid } from './address.ts'
import { createInbox, type Inbox } from './inbox.ts'
import type { Link } from './link.ts'
import type { MediaHost } from './media-host.ts'
import type { Outbox } from './outbox.ts'
import { createSignalDevice, type KeyBundle, type PublicKey, type SignalDevice } from './signal.ts'

/** A phone or another device of a person, simulated by this server. */
export interface SimulatedDevice {
  signal: SignalDevice
  inbox: Inbox
  /** Error code in place of the device's keys; 404 and 406 mean that it is not registered. */
  keysRefused: number | undefined
  /** Belongs to a business platform: messages are encrypted for it only in groups. */
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
  /** True until the phone has sent the client its chats. */
  isNew: boolean
  build: number
}

/** A person, with or without WhatsApp. Device 0 is the phone. */
export interface Contact {
  number: string
  lid: string
  /**
   * Earlier LIDs. Messages to them arrive, and the server asks the client to look the LID up again.
   */
  formerLids: Set<string>
  name: string
  onWhatsApp: boolean
  /** Reachable by LID only; the phone number is refused with 463. */
  moved: boolean
  /** Accepts messages only from accounts to which this person has issued a token. */
  demandsToken: boolean
  devices: Map<number, SimulatedDevice>
  companions: Companion[]
  /** Device numbers are never reused. */
  nextDevice: number
  account: Account
}

export const HOSTED_DEVICE = 99

export const jidOf = (contact: Contact, lid: boolean, device = 0) =>
  lid ? lidJid(contact.lid, device) : phoneJid(contact.number, device)

/** Like jidOf, with the server name of a hosted device. */
export const deviceJidOf = (contact: Contact, lid: boolean, device: number) =>
  contact.devices.get(device)?.hosted
    ? hostedJid(lid ? contact.lid : contact.number, lid, device)
    : jidOf(contact, lid, device)

/**
 * Returns the name of a person's Signal sessions, which do not depend on the address in a stanza.
 */
export const signalName = (contact: Contact) => `${lidOf(contact.number)}_1`

export function phoneOf({ devices, number }: Contact): SimulatedDevice {
  const phone = devices.get(0)
  if (!phone) throw new Error(`${number} has no phone`)
  return phone
}

/** Returns the numbers of all devices, simulated and real, in ascending order. */
export const deviceIds = ({ devices, companions }: Contact): number[] =>
  [...devices.keys(), ...companions.map(({ device }) => device)].sort((a, b) => a - b)

/**
 * Creates the directory of people. A number that no test has named is on WhatsApp with one device
 * as soon as it is looked up.
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
    /**
     * Gives a person a new LID, as after a change of number. `isForgotten`: the old LID then
     * belongs to nobody.
     */
    changeLid(contact: Contact, { isForgotten = false } = {}) {
      if (isForgotten) byLid.delete(contact.lid)
      contact.formerLids.add(contact.lid)
      contact.lid = lidOf(`${contact.number} ${contact.formerLids.size}`)
      byLid.set(contact.lid, contact)
    },
    /** Finds the person of a jid; undefined for a LID that was never given out. */
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
