import type { WASocket } from 'baileys'
import type { Clock } from '../../../lib/clock.ts'
import { sleep } from '../../../lib/sleep.ts'
import { StorageError } from '../../../lib/storage-error.ts'
import { DAY } from '../../../lib/time.ts'
import type { Checked, Outcome } from '../../../messages/channel.ts'
import type { ContactRow, ContactStore } from '../../../store/index.ts'
import { isDisconnect } from '../library/errors.ts'
import { pnJidOf } from '../library/jids.ts'
import { askForNumber, NUMBER_PROTOCOLS } from './address-book.ts'
import type { FirstContactHolds } from './first-contacts.ts'
import { LookUpRefused, type LookUps } from './look-ups.ts'

const BELIEVE_YES_FOR = 30 * DAY
const BELIEVE_NO_FOR = DAY

const NOT_THERE: Outcome = { kind: 'refused', code: 'recipient_not_on_whatsapp' }

export interface LookupDeps {
  senderId: number
  contacts: ContactStore
  lookUps: LookUps
  holds: Pick<FirstContactHolds, 'until' | 'mayLookUpAt' | 'lookedUp' | 'answered'>
  /** Takes the place of a send in the pacing. Resolves when that is on disk. */
  onLookUp(): Promise<void>
  clock: Clock
  /** Aborted when the program ends. */
  stopping: AbortSignal
}

export type Lookup = ReturnType<typeof createLookup>

/**
 * Asks whether a number is on WhatsApp, once for a while, never for known contacts. The address
 * that WhatsApp gives is kept: it may differ from the number (Brazil, Mexico).
 */
export function createLookup({ senderId, contacts, lookUps, holds, onLookUp, clock, stopping }: LookupDeps) {
  function remembered(contact: ContactRow | undefined): Outcome | 'go' | undefined {
    if (contact === undefined) return undefined
    const age = clock.now() - contact.checkedAt
    if (contact.jid !== null) return age < BELIEVE_YES_FOR ? 'go' : undefined
    return age < BELIEVE_NO_FOR ? NOT_THERE : undefined
  }

  async function ask(sock: WASocket, phone: string): Promise<Checked> {
    const rest = lookUps.restMs(NUMBER_PROTOCOLS)
    if (rest > 0) return { kind: 'wait', until: clock.now() + rest }
    const wait = holds.mayLookUpAt() - clock.now()
    if (wait > 0) await sleep(clock, wait, stopping)
    holds.lookedUp()
    await onLookUp()
    const answer = await askForNumber(lookUps, sock, phone)
    // No answer is not the answer "not on WhatsApp".
    if (answer === undefined) return { kind: 'not_sent', reason: 'WhatsApp did not say whether the number exists' }
    await contacts.change(senderId, phone, { jid: answer?.jid ?? null, checkedAt: clock.now() })
    holds.answered(answer !== null)
    return answer === null ? NOT_THERE : 'again'
  }

  async function check(sock: WASocket, phone: string): Promise<Checked> {
    const contact = await contacts.get(senderId, phone)
    if (contact?.known) return 'go'
    const before = remembered(contact)
    if (before !== undefined && before !== 'go') return before
    const until = holds.until()
    if (until !== null) return { kind: 'wait', until }
    return before ?? ask(sock, phone)
  }

  return {
    contact: (phone: string): Promise<ContactRow | undefined> => contacts.get(senderId, phone),
    /** As WhatsApp gave it. */
    jidOf: async (phone: string): Promise<string> => (await contacts.get(senderId, phone))?.jid ?? pnJidOf(phone),
    isKnown: async (phone: string): Promise<boolean> => (await contacts.get(senderId, phone))?.known === true,
    /** Never rejects. */
    async check(sock: WASocket, phone: string): Promise<Checked> {
      try {
        return await check(sock, phone)
      } catch (error) {
        if (error instanceof LookUpRefused) return { kind: 'wait', until: clock.now() + error.waitMs }
        if (stopping.aborted || isDisconnect(error) || error instanceof StorageError) return { kind: 'offline' }
        return { kind: 'not_sent', reason: `look-up failed: ${error}` }
      }
    },
  }
}
