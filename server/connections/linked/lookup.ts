import { jidDecode, jidNormalizedUser, type WASocket } from 'baileys'
import type { Clock } from '../../lib/clock.ts'
import { DAY } from '../../lib/time.ts'
import type { Outcome } from '../../messages/channel.ts'
import type { ContactStore } from '../../store/index.ts'
import type { DeviceCache } from './device-cache.ts'
import { codeOf } from './socket.ts'

const BELIEVE_YES_FOR = 30 * DAY
const BELIEVE_NO_FOR = DAY

const NOT_THERE: Outcome = { kind: 'refused', code: 'recipient_not_on_whatsapp' }

/** The connection is gone or going: the library says so by one of two codes. */
export const isDisconnect = (error: unknown): boolean => [428, 1006].includes(codeOf(error) ?? 0)

export interface LookupDeps {
  senderId: number
  contacts: Pick<ContactStore, 'get' | 'save'>
  clock: Clock
}

export type Lookup = ReturnType<typeof createLookup>

/**
 * Whether a number is on WhatsApp; asked once and believed for a while. The address that WhatsApp gives is kept: it may
 * differ from the number (Brazil, Mexico).
 */
export function createLookup({ senderId, contacts, clock }: LookupDeps) {
  async function remembered(phone: string): Promise<Outcome | 'go' | undefined> {
    const contact = await contacts.get(senderId, phone)
    if (contact === undefined) return undefined
    const age = clock.now() - contact.checkedAt
    if (contact.jid !== null) return age < BELIEVE_YES_FOR ? 'go' : undefined
    // Somebody who wrote to us in the meantime is there.
    return age < BELIEVE_NO_FOR && !contact.known ? NOT_THERE : undefined
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
    addressOf: async (phone: string): Promise<string> =>
      (await contacts.get(senderId, phone))?.jid ?? `${phone}@s.whatsapp.net`,
    isKnown: async (phone: string): Promise<boolean> => (await contacts.get(senderId, phone))?.known === true,
    /** Never rejects. */
    async check(sock: WASocket, phone: string): Promise<Outcome | 'go'> {
      try {
        return (await remembered(phone)) ?? (await ask(sock, phone))
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
