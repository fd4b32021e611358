import type { BinaryNode, WASocket } from 'baileys'
import type { FirstContacts } from '../../../contract/senders.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../lib/clock.ts'
import type { LinkedContext } from './context.ts'
import { firstContactsWaitUntil, reachQuery, readReachAnswer, readReachNotification } from './reach.ts'

/** After a refused message WhatsApp is asked at most so often. */
const ASKED_AGAIN_AFTER = MINUTE

export type FirstContactHolds = ReturnType<typeof createFirstContactHolds>

/**
 * Decides whether messages may leave to people whom this number never wrote to
 * (docs/decisions/0014-contacts.md): WhatsApp's lock and cap, of which it is asked and which it
 * announces, too many wrong numbers in a row, and a link whose chats were not read yet.
 * @param onChange the hold, or what is known of the cap, has changed; `isFreed`: they need not wait
 *   any longer
 */
export function createFirstContactHolds(
  { account, clock, logger, live }: LinkedContext,
  onChange: (facts: FirstContacts, isFreed: boolean) => void,
) {
  let known: FirstContacts | undefined
  /** The last question, and whether WhatsApp said if there is a lock. */
  let asked = { at: Number.NEGATIVE_INFINITY, isAnswered: Promise.resolve(false) }
  let cancelEnd = (): void => {}
  let isStopped = false

  function read(): FirstContacts {
    const now = clock.now()
    const { lock, cap, lookUps, newLink } = account.facts()
    const byWhatsApp = firstContactsWaitUntil(lock, cap, now)
    const byNumbers = heldUntil(lookUps, now)
    const byLink = endOf(newLink, now)
    const until = Math.max(byWhatsApp ?? 0, byNumbers ?? 0, byLink ?? 0)
    const byKurir = byNumbers === null ? 'new_link' : 'wrong_numbers'
    const heldBy = byWhatsApp === null ? byKurir : (lock?.endsAt ?? 0) > now ? 'lock' : 'cap'
    const newChats = cap && {
      used: cap.used,
      total: cap.total,
      resetsAt: cap.resetsAt,
      warning: cap.warning === 'capped' && (cap.holdsUntil ?? 0) <= now ? ('none' as const) : cap.warning,
    }
    return until > now ? { until, heldBy, newChats } : { until: null, heldBy: null, newChats }
  }

  /** Looks what holds them now, and again when that ends. */
  function look(): void {
    if (isStopped) return
    const before = known
    known = read()
    cancelEnd()
    if (known.until !== null) cancelEnd = clock.after(Math.min(known.until - clock.now(), DAY), atEnd)
    if (JSON.stringify(before) !== JSON.stringify(known)) onChange(known, before?.until != null && known.until === null)
  }

  /** WhatsApp may have made it longer, and may not have said so. */
  function atEnd(): void {
    if (live() === undefined) look()
    else void ask()
  }

  async function question(sock: WASocket, what: 'lock' | 'cap'): Promise<boolean> {
    try {
      const answer = await sock.query(reachQuery(what))
      const now = clock.now()
      if (what === 'lock') {
        const lock = readReachAnswer('lock', answer, now)
        if (lock === undefined) return false
        account.update({ lock, ...(lock.active ? { limitedAt: now } : {}) })
      } else {
        const cap = readReachAnswer('cap', answer, now)
        if (cap === undefined) return false
        account.update({ cap: cap.total === null && cap.warning === 'none' ? null : cap })
      }
      return true
    } catch (err) {
      logger.debug({ err }, 'WhatsApp did not say whether new chats are limited')
      return false
    }
  }

  /** Resolves with whether WhatsApp said if there is a lock; never rejects. */
  function ask(): Promise<boolean> {
    const sock = live()
    if (sock === undefined) return Promise.resolve(false)
    const isAnswered = Promise.all([question(sock, 'lock'), question(sock, 'cap')]).then(([lock]) => {
      look()
      return lock
    })
    asked = { at: clock.now(), isAnswered }
    return isAnswered
  }

  return {
    /** From the start of the program. */
    look,
    /** The connection is open. */
    onUp: () => void ask(),
    /** A notification of the server, of whatever kind. */
    onNotification(node: BinaryNode): void {
      if (node.attrs.type !== 'mex') return
      const now = clock.now()
      const news = readReachNotification(node, now)
      if (news?.question === 'lock')
        account.update({ lock: news.lock, ...(news.lock.active ? { limitedAt: now } : {}) })
      if (news?.question === 'cap') account.update({ cap: news.cap })
      if (news !== undefined) look()
    },
    /** Until when they wait, in milliseconds; null: they need not. */
    until: (): number | null => read().until,
    isLocked(): boolean {
      const { lock } = account.facts()
      return lock?.active === true && (lock.endsAt ?? 0) > clock.now()
    },
    /**
     * WhatsApp refused a message (463, 475). Resolves with until when first contacts wait, null
     * where nothing holds them, `unknown` where WhatsApp did not say.
     */
    async afterRefusal(): Promise<number | null | 'unknown'> {
      account.update({ limitedAt: clock.now() })
      const isRecent = clock.now() - asked.at < ASKED_AGAIN_AFTER
      const isKnown = read().until !== null || (await (isRecent ? asked.isAnswered : ask()))
      return isKnown ? read().until : 'unknown'
    },
    /** A phone was linked. */
    onLinked(): void {
      account.update({ newLink: linkedAt(clock.now()) })
      look()
    },
    /** Chats of the phone were read. */
    onChats(): void {
      const { newLink } = account.facts()
      if (newLink === null || newLink.heldFor !== 'chats') return
      account.update({ newLink: withChats(newLink) })
      look()
    },
    /**
     * WhatsApp refused a message (463) and no lock explains it. Returns until when it proves
     * nothing, because the link is new; null: it does.
     */
    refusedUntil(): number | null {
      const newLink = withRefusal(account.facts().newLink, clock.now())
      if (newLink === null) return null
      account.update({ newLink })
      look()
      return endOf(newLink, clock.now())
    },
    /** When the next number may be looked up; milliseconds. */
    mayLookUpAt: (): number => nextLookUpAt(account.facts().lookUps, clock.now()),
    lookedUp(): void {
      account.update({ lookUps: withLookUp(account.facts().lookUps, clock.now()) })
    },
    answered(isOnWhatsApp: boolean): void {
      account.update({ lookUps: withAnswer(account.facts().lookUps, isOnWhatsApp, clock.now()) })
      look()
    },
    stop(): void {
      isStopped = true
      cancelEnd()
    },
  }
}

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

const LOOK_UPS_APART = SECOND
const MOST_WRONG_IN_A_ROW = 20
const LOOK_UPS_HELD_FOR = HOUR

/**
 * When the next look-up may be made: a second after the last, and not before a hold ends. A clock
 * set back never makes it wait longer.
 */
export function nextLookUpAt({ lastAt, heldUntil }: LookUpFacts, now: number): number {
  const spaced = lastAt === null || lastAt > now ? now : lastAt + LOOK_UPS_APART
  const held = heldUntil !== null && heldUntil - now <= LOOK_UPS_HELD_FOR ? heldUntil : now
  return Math.max(now, spaced, held)
}

/** Until when first contacts are held for wrong numbers; null: they are not. */
export const heldUntil = (lookUps: LookUpFacts, now: number): number | null => {
  const until = lookUps.heldUntil
  return until !== null && until > now && until - now <= LOOK_UPS_HELD_FOR ? until : null
}

export const withLookUp = (lookUps: LookUpFacts, now: number): LookUpFacts => ({ ...lookUps, lastAt: now })

/**
 * Applies an answer: the twentieth wrong number in a row holds first contacts for an hour, a right
 * one ends the row. No answer says nothing and is not given here.
 */
export function withAnswer(lookUps: LookUpFacts, isOnWhatsApp: boolean, now: number): LookUpFacts {
  if (isOnWhatsApp) return { ...lookUps, wrongInARow: 0 }
  const wrongInARow = lookUps.wrongInARow + 1
  if (wrongInARow < MOST_WRONG_IN_A_ROW) return { ...lookUps, wrongInARow }
  return { ...lookUps, wrongInARow: 0, heldUntil: now + LOOK_UPS_HELD_FOR }
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

const linkedAt = (at: number): NewLink => ({ at, heldFor: 'chats' })

const withChats = (link: NewLink): NewLink => (link.heldFor === 'chats' ? { ...link, heldFor: null } : link)

/** The link after a refusal, which holds first contacts while it is new; null: it is old. */
const withRefusal = (link: NewLink | null, now: number): NewLink | null =>
  link !== null && endOf({ ...link, heldFor: 'refusal' }, now) !== null ? { ...link, heldFor: 'refusal' } : null

/**
 * Until when first contacts wait for it, in milliseconds since 1970; null: they need not. A link of
 * the future was made before the clock was set back.
 */
function endOf(link: NewLink | null, now: number): number | null {
  if (link === null || link.heldFor === null || link.at > now) return null
  const end = link.at + (link.heldFor === 'chats' ? CHATS_WITHIN : NEW_FOR)
  return end > now ? end : null
}
