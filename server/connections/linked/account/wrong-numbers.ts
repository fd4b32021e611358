import { HOUR, SECOND } from '../../../lib/time.ts'

/**
 * Look-ups are not free: WhatsApp watches who asks for many numbers, most of all for numbers that
 * do not exist (docs/decisions/0014-contacts.md). Pure; times in milliseconds.
 */
export interface LookUps {
  /** When the last one was made; null: none yet. */
  lastAt: number | null
  /** Numbers in a row that are not on WhatsApp. */
  wrongInARow: number
  /** First contacts wait until then; null: they need not. */
  heldUntil: number | null
}

export const NO_LOOK_UPS: LookUps = { lastAt: null, wrongInARow: 0, heldUntil: null }

const APART = SECOND
const MOST_WRONG_IN_A_ROW = 20
const HELD_FOR = HOUR

/**
 * When the next look-up may be made: a second after the last, and not before a hold ends. A clock
 * set back never makes it wait longer.
 */
export function mayLookUpAt({ lastAt, heldUntil }: LookUps, now: number): number {
  const spaced = lastAt === null || lastAt > now ? now : lastAt + APART
  const held = heldUntil !== null && heldUntil - now <= HELD_FOR ? heldUntil : now
  return Math.max(now, spaced, held)
}

/** Until when first contacts are held for wrong numbers; null: they are not. */
export const heldUntil = (lookUps: LookUps, now: number): number | null => {
  const until = lookUps.heldUntil
  return until !== null && until > now && until - now <= HELD_FOR ? until : null
}

export const lookedUp = (lookUps: LookUps, now: number): LookUps => ({ ...lookUps, lastAt: now })

/**
 * Applies an answer: the twentieth wrong number in a row holds first contacts for an hour, a right
 * one ends the row. No answer says nothing and is not given here.
 */
export function answered(lookUps: LookUps, isOnWhatsApp: boolean, now: number): LookUps {
  if (isOnWhatsApp) return { ...lookUps, wrongInARow: 0 }
  const wrongInARow = lookUps.wrongInARow + 1
  if (wrongInARow < MOST_WRONG_IN_A_ROW) return { ...lookUps, wrongInARow }
  return { ...lookUps, wrongInARow: 0, heldUntil: now + HELD_FOR }
}
