import { lidJid, lidOf, parseJid, phoneJid } from './address.ts'
import { createInbox, type Inbox } from './inbox.ts'
import type { Link } from './link.ts'
import type { MediaHost } from './media-host.ts'
import type { Outbox } from './outbox.ts'
import { createSignalDevice, type KeyBundle, type PublicKey, type SignalDevice } from './signal.ts'

/** A phone, or another device of the same person, that this server simulates. */
export interface SimulatedDevice {
  signal: SignalDevice
  inbox: Inbox
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
}

/** Someone who has, or has not, WhatsApp. The first simulated device is the phone. */
export interface Contact {
  number: string
  lid: string
  name: string
  onWhatsApp: boolean
  devices: SimulatedDevice[]
  companions: Companion[]
  /** Device numbers are never used twice. */
  nextDevice: number
}

export const jidOf = (contact: Contact, lid: boolean, device = 0) =>
  lid ? lidJid(contact.lid, device) : phoneJid(contact.number, device)

/** Signal sessions are kept per person and device, whichever address a stanza bears. */
export const signalName = (contact: Contact) => `${contact.lid}_1`

/** Everybody. A number that nobody named is on WhatsApp, with one device, from the first time it is looked up. */
export function createDirectory(mediaHost: MediaHost) {
  const byNumber = new Map<string, Contact>()
  const byLid = new Map<string, Contact>()

  function addDevice(contact: Contact) {
    const signal = createSignalDevice()
    contact.devices.push({ signal, inbox: createInbox(signal, mediaHost) })
    contact.nextDevice += 1
  }

  function contact(number: string): Contact {
    const known = byNumber.get(number)
    if (known) return known
    const added: Contact = {
      number,
      lid: lidOf(number),
      name: number,
      onWhatsApp: true,
      devices: [],
      companions: [],
      nextDevice: 0,
    }
    byNumber.set(number, added)
    byLid.set(added.lid, added)
    addDevice(added)
    return added
  }

  return {
    contact,
    addDevice,
    /** Whom a jid means; a LID that was never given out means nobody. */
    find(jid: string | undefined): { contact: Contact; device: number } | undefined {
      const address = parseJid(jid)
      if (!address) return undefined
      const found = address.isLid ? byLid.get(address.user) : contact(address.user)
      return found && { contact: found, device: address.device }
    },
    companions: () => [...byNumber.values()].flatMap(({ companions }) => companions),
  }
}
export type Directory = ReturnType<typeof createDirectory>
