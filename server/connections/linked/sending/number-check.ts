import type { WASocket } from 'baileys'
import { sleep } from '../../../lib/sleep.ts'
import { StorageError } from '../../../lib/storage-error.ts'
import { DAY } from '../../../lib/time.ts'
import type { Checked, Outcome } from '../../../messages/channel.ts'
import type { ContactRow } from '../../../store/index.ts'
import { askForNumber, NUMBER_PROTOCOLS } from '../account/address-book.ts'
import { LookUpRefused } from '../account/look-ups.ts'
import { isDisconnect } from '../library/questions.ts'
import type { SendingContext } from './context.ts'

const BELIEVE_YES_FOR = 30 * DAY
const BELIEVE_NO_FOR = DAY

const NOT_THERE: Outcome = { kind: 'refused', code: 'recipient_not_on_whatsapp' }

/**
 * Asks whether a number is on WhatsApp, once for a while, never for known contacts. The address
 * that WhatsApp gives is kept: it may differ from the number (Brazil, Mexico). Never rejects.
 */
export async function checkNumber(context: SendingContext, sock: WASocket, phone: string): Promise<Checked> {
  const { clock, stopping } = context
  try {
    return await check(context, sock, phone)
  } catch (error) {
    if (error instanceof LookUpRefused) return { kind: 'wait', until: clock.now() + error.waitMs }
    if (stopping.aborted || isDisconnect(error) || error instanceof StorageError) return { kind: 'offline' }
    return { kind: 'not_sent', reason: `look-up failed: ${error}` }
  }
}

async function check(context: SendingContext, sock: WASocket, phone: string): Promise<Checked> {
  const contact = await context.store.contacts.get(context.senderId, phone)
  if (contact?.known) return 'go'
  const before = remembered(contact, context.clock.now())
  if (before !== undefined && before !== 'go') return before
  const until = context.holds.until()
  if (until !== null) return { kind: 'wait', until }
  return before ?? ask(context, sock, phone)
}

function remembered(contact: ContactRow | undefined, now: number): Outcome | 'go' | undefined {
  if (contact === undefined) return undefined
  const age = now - contact.checkedAt
  // The clock was set back: it cannot be known how old the answer is.
  if (age < 0) return undefined
  if (contact.jid !== null) return age < BELIEVE_YES_FOR ? 'go' : undefined
  return age < BELIEVE_NO_FOR ? NOT_THERE : undefined
}

async function ask(context: SendingContext, sock: WASocket, phone: string): Promise<Checked> {
  const { senderId, store, lookUps, holds, clock } = context
  const rest = lookUps.restMs(NUMBER_PROTOCOLS)
  if (rest > 0) return { kind: 'wait', until: clock.now() + rest }
  const wait = holds.mayLookUpAt() - clock.now()
  if (wait > 0) await sleep(clock, wait, context.stopping)
  holds.lookedUp()
  await context.onLookUp()
  const answer = await askForNumber(lookUps, sock, phone)
  // No answer is not the answer "not on WhatsApp".
  if (answer === undefined) return { kind: 'not_sent', reason: 'WhatsApp did not say whether the number exists' }
  await store.contacts.change(senderId, phone, { jid: answer?.jid ?? null, checkedAt: clock.now() })
  holds.answered(answer !== null)
  return answer === null ? NOT_THERE : 'again'
}
