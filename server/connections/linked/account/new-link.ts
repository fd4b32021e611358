import { MINUTE } from '../../../lib/time.ts'

/**
 * A link that was made only now. Who is an old customer, and their tokens, lie in the history,
 * which the phone sends in the first minutes; before that a refused message (463) proves nothing
 * (Baileys issues 2441 and 2688, evolution-api 2650). Pure.
 */
export interface NewLink {
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
