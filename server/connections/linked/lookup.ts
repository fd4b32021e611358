import { jidDecode, jidNormalizedUser, type WASocket } from 'baileys'
import type { Clock } from '../../lib/clock.ts'
import type { Outcome } from '../../messages/channel.ts'
import type { DeviceCache } from './device-cache.ts'
import { codeOf } from './socket.ts'

const DAY = 24 * 3_600_000
const BELIEVE_YES_MS = 30 * DAY
const BELIEVE_NO_MS = DAY

export interface Contact {
  jid: string | null
  checkedAt: number
  known: boolean
}

export interface ContactBook {
  get(senderId: number, phone: string): Contact | undefined
  save(senderId: number, phone: string, jid: string | null, at: number): Promise<unknown>
  markKnown(senderId: number, phone: string): Promise<unknown>
  forget(senderId: number): Promise<unknown>
}

const NOT_THERE: Outcome = { kind: 'refused', code: 'recipient_not_on_whatsapp' }

/** The connection is gone or going: the library says so in one of two ways. */
export const isDisconnect = (error: unknown): boolean => [428, 1006].includes(codeOf(error) ?? 0)

/**
 * Whether a number is on WhatsApp; asked once and believed for a while. The address that WhatsApp gives is kept: it may
 * differ from the number (Brazil, Mexico).
 */
export function createLookup({ senderId, contacts, clock }: { senderId: number; contacts: ContactBook; clock: Clock }) {
  function remembered(phone: string): Outcome | 'go' | undefined {
    const contact = contacts.get(senderId, phone)
    if (contact === undefined) return undefined
    const age = clock.now() - contact.checkedAt
    if (contact.jid !== null) return age < BELIEVE_YES_MS ? 'go' : undefined
    // Somebody who wrote to us in the meantime is there.
    return age < BELIEVE_NO_MS && !contact.known ? NOT_THERE : undefined
  }

  async function ask(sock: WASocket, phone: string): Promise<Outcome | 'go'> {
    const answer = await sock.onWhatsApp(phone)
    // No answer and the answer "nobody" are not the same thing.
    if (answer === undefined) return { kind: 'not_sent', reason: 'WhatsApp did not say whether the number exists' }
    const jid = answer.find(({ exists }) => exists)?.jid ?? null
    await contacts.save(senderId, phone, jid, clock.now())
    return jid === null ? NOT_THERE : 'go'
  }

  return {
    addressOf: (phone: string): string => contacts.get(senderId, phone)?.jid ?? `${phone}@s.whatsapp.net`,
    isKnown: (phone: string): boolean => contacts.get(senderId, phone)?.known === true,
    /** Never rejects. */
    async check(sock: WASocket, phone: string): Promise<Outcome | 'go'> {
      const before = remembered(phone)
      if (before !== undefined) return before
      try {
        return await ask(sock, phone)
      } catch (error) {
        return isDisconnect(error) ? { kind: 'offline' } : { kind: 'not_sent', reason: `look-up failed: ${error}` }
      }
    },
  }
}

/**
 * Makes sure that the library has somebody to encrypt for: it would write a message without a single recipient, without
 * complaint. Done outside of its send, where one slow recipient would hold up all others.
 * @throws whatever went wrong; nothing was sent
 */
export async function findDevices(sock: WASocket, devices: DeviceCache, jid: string): Promise<void> {
  const own = jidNormalizedUser(sock.user?.id)
  const user = userOf(jid)
  if (devices.isFresh(user) && devices.isFresh(userOf(own))) return
  const found = await sock.getUSyncDevices([own, jid], false, false)
  try {
    if (!devices.isFresh(user)) throw new Error('WhatsApp named no device of this number')
    await sock.assertSessions(found.map((device) => device.jid))
  } catch (error) {
    // Known devices mean that there are keys for them.
    devices.store.del(user)
    throw error
  }
}

const userOf = (jid: string): string => jidDecode(jid)?.user ?? ''
