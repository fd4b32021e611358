import type { BinaryNode } from 'baileys'
import { closingStanza } from './closing.ts'
import type { Companion, Contact } from './directory.ts'
import { agreeOnSecret, type PairingDesk } from './pairing-code.ts'
import { linkCompanion, type Registration } from './registration.ts'

/** Clients that show something to the owner of a phone. */
export interface Waiting {
  /** By the ref in the QR code. */
  registrations: Map<string, Registration>
  pairings: PairingDesk
}

const hangUp = ({ link }: Companion, last: BinaryNode | undefined) => {
  if (last) link?.end(last)
  else link?.cut()
}

/** Takes a client away from its account: its keys are worth nothing from now on. */
export function unlink(companion: Companion) {
  const { companions } = companion.contact
  companions.splice(companions.indexOf(companion), 1)
  companion.outbox.disconnect()
  hangUp(companion, closingStanza(401))
}

/** The phone of somebody who links clients. */
export function createPhone(contact: Contact, waiting: Waiting, now: () => number) {
  const linked = (): Companion => {
    const companion = contact.companions.at(-1)
    if (!companion) throw new Error(`${contact.number} has no linked device`)
    return companion
  }

  return {
    number: contact.number,
    lid: contact.lid,
    get isLinked() {
      return contact.companions.length > 0
    },
    get isOnline() {
      return contact.companions.some(({ link }) => link !== undefined)
    },

    /** Scans what a client shows as a QR code. Resolves when the client is linked; it will connect again. */
    async scan(qr: string): Promise<void> {
      const [ref = '', noiseKey = '', identity = '', secret = ''] = qr.slice(qr.indexOf('#') + 1).split(',')
      const registration = waiting.registrations.get(ref)
      if (!registration) throw new Error('the QR code has expired')
      if (
        registration.noiseKey.toString('base64') !== noiseKey ||
        registration.identity.toString('base64') !== identity
      ) {
        throw new Error('the QR code bears other keys than the client that shows it')
      }
      await linkCompanion(contact, registration, Buffer.from(secret, 'base64'), now())
    },

    /** Types in the code that a client shows for this number, with or without its dash; waits for such a client. */
    async enterCode(code: string): Promise<void> {
      const pairing = await waiting.pairings.latest(contact.number)
      waiting.pairings.leave(contact.number)
      const secret = await agreeOnSecret(contact, pairing, code.replaceAll('-', '').toUpperCase())
      await linkCompanion(contact, pairing.registration, secret, now())
    },

    /** The owner removes the linked device. */
    unlink: () => unlink(linked()),
    /** The server closes the connection with this code; the device stays linked except with 401. */
    disconnect(code: number) {
      if (code === 401) return unlink(linked())
      hangUp(linked(), closingStanza(code))
    },
    /** The same device has connected from elsewhere. */
    replace: () => hangUp(linked(), closingStanza(440)),
  }
}
export type Phone = ReturnType<typeof createPhone>
