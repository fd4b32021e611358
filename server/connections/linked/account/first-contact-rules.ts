import { HOUR, MINUTE, SECOND } from '../../../lib/time.ts'

/**
 * Look-ups are not free: WhatsApp watches who asks for many numbers, most of all for numbers that
 * do not exist (docs/decisions/0014-contacts.md). Pure; times in milliseconds.
 */
interface LookUpFacts {
  /** When the last one was made; null: none yet. */
  lastAt: number | null
  /** Numbers in a row that are not on WhatsApp. */
  wrongInARow: number
  /** First contacts wait until then; null: they need not. */
  heldUntil: number | null
}

export const NO_LOOK_UPS: LookUpFacts = { lastAt: null, wrongInARow: 0, heldUntil: null }

const APART = SECOND
const MOST_WRONG_IN_A_ROW = 20
const HELD_FOR = HOUR

/**
 * When the next look-up may be made: a second after the last, and not before a hold ends. A clock
 * set back never makes it wait longer.
 */
export function mayLookUpAt({ lastAt, heldUntil }: LookUpFacts, now: number): number {
  const spaced = lastAt === null || lastAt > now ? now : lastAt + APART
  const held = heldUntil !== null && heldUntil - now <= HELD_FOR ? heldUntil : now
  return Math.max(now, spaced, held)
}

/** Until when first contacts are held for wrong numbers; null: they are not. */
export const heldUntil = (lookUps: LookUpFacts, now: number): number | null => {
  const until = lookUps.heldUntil
  return until !== null && until > now && until - now <= HELD_FOR ? until : null
}

export const lookedUp = (lookUps: LookUpFacts, now: number): LookUpFacts => ({ ...lookUps, lastAt: now })

/**
 * Applies an answer: the twentieth wrong number in a row holds first contacts for an hour, a right
 * one ends the row. No answer says nothing and is not given here.
 */
export function answered(lookUps: LookUpFacts, isOnWhatsApp: boolean, now: number): LookUpFacts {
  if (isOnWhatsApp) return { ...lookUps, wrongInARow: 0 }
  const wrongInARow = lookUps.wrongInARow + 1
  if (wrongInARow < MOST_WRONG_IN_A_ROW) return { ...lookUps, wrongInARow }
  return { ...lookUps, wrongInARow: 0, heldUntil: now + HELD_FOR }
}

/**
 * A link that was made only now. Who is an old customer, and their tokens, lie in the history,
 * which the phone sends in the first minutes; before that a refused message (463) proves nothing
 * (Baileys issues 2441 and 2688, evolution-api 2650). Pure.
 */
interface NewLink {
  /** When the phone was linked, in milliseconds since 1970. */
  at: number
  /**
   * Cause that holds first contacts: no chat was read yet, or WhatsApp refused one. Null: none.
   */
  heldFor: 'chats' | 'refusal' | null
}

/** How long the first chats are waited for: a phone that is off sends none. Ours. */
const CHATS_WITHIN = MINUTE
/** How long a link is new. Ours. */
const NEW_FOR = 10 * MINUTE

export const linkedAt = (at: number): NewLink => ({ at, heldFor: 'chats' })

export const withChats = (link: NewLink): NewLink => (link.heldFor === 'chats' ? { ...link, heldFor: null } : link)

/** The link after a refusal, which holds first contacts while it is new; null: it is old. */
export const afterRefusal = (link: NewLink | null, now: number): NewLink | null =>
  link !== null && endOf({ ...link, heldFor: 'refusal' }, now) !== null ? { ...link, heldFor: 'refusal' } : null

/**
 * Until when first contacts wait for it, in milliseconds since 1970; null: they need not. A link of
 * the future was made before the clock was set back.
 */
export function endOf(link: NewLink | null, now: number): number | null {
  if (link === null || link.heldFor === null || link.at > now) return null
  const end = link.at + (link.heldFor === 'chats' ? CHATS_WITHIN : NEW_FOR)
  return end > now ? end : null
}
