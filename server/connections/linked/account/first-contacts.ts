import type { BinaryNode, WASocket } from 'baileys'
import type { FirstContacts } from '../../../contract/senders.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../lib/clock.ts'
import type { LinkedContext } from './context.ts'
import { firstContactsWaitUntil, reachQuery, readReachAnswer, readReachNotification } from './reach.ts'

/** After refused messages, WhatsApp is asked at most once in this time. */
const ASKED_AGAIN_AFTER = MINUTE

export type FirstContactHolds = ReturnType<typeof createFirstContactHolds>

/**
 * Decides whether messages may leave to first contacts, people whom this number never wrote to
 * (docs/decisions/0014-contacts.md). First contacts are held by WhatsApp's lock and its cap, which
 * Kurir asks for and WhatsApp announces; by too many wrong numbers in a row; and by a new link
 * whose chats were not read yet or that saw a refusal.
 * @param onChange called when the hold or the known cap has changed; `isFreed`: first contacts need
 *   not wait any longer
 */
export function createFirstContactHolds(
  { account, clock, logger, live }: LinkedContext,
  onChange: (facts: FirstContacts, isFreed: boolean) => void,
) {
  let known: FirstContacts | undefined
  /** The last question. `isAnswered` resolves with true if WhatsApp said whether a lock is on. */
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

  /** Reports the hold if it has changed, and arranges the next look for its end. */
  function look(): void {
    if (isStopped) return
    const before = known
    known = read()
    cancelEnd()
    if (known.until !== null) cancelEnd = clock.after(Math.min(known.until - clock.now(), DAY), atEnd)
    if (JSON.stringify(before) !== JSON.stringify(known)) onChange(known, before?.until != null && known.until === null)
  }

  /** Asks WhatsApp at the end of a hold, because it may have extended the hold without a word. */
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

  /**
   * Asks for the lock and the cap. Resolves with true if WhatsApp said whether there is a lock;
   * never rejects.
   */
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
    /** Must be called once the stored facts are read. */
    look,
    onUp: () => void ask(),
    /** Takes any notification; ignores all that do not concern the lock or the cap. */
    onNotification(node: BinaryNode): void {
      if (node.attrs.type !== 'mex') return
      const now = clock.now()
      const news = readReachNotification(node, now)
      if (news?.question === 'lock')
        account.update({ lock: news.lock, ...(news.lock.active ? { limitedAt: now } : {}) })
      if (news?.question === 'cap') account.update({ cap: news.cap })
      if (news !== undefined) look()
    },
    /** Returns when first contacts may leave, in milliseconds since 1970; null: at any time. */
    until: (): number | null => read().until,
    isLocked(): boolean {
      const { lock } = account.facts()
      return lock?.active === true && (lock.endsAt ?? 0) > clock.now()
    },
    /**
     * Finds out why WhatsApp refused a message (463, 475). Resolves with the time until which first
     * contacts wait, null if nothing holds them, `unknown` if WhatsApp did not say.
     */
    async afterRefusal(): Promise<number | null | 'unknown'> {
      account.update({ limitedAt: clock.now() })
      const isRecent = clock.now() - asked.at < ASKED_AGAIN_AFTER
      const isKnown = read().until !== null || (await (isRecent ? asked.isAnswered : ask()))
      return isKnown ? read().until : 'unknown'
    },
    onLinked(): void {
      account.update({ newLink: linkedAt(clock.now()) })
      look()
    },
    /** Ends the wait for chats, because chats of the phone's history were read. */
    onChats(): void {
      const { newLink } = account.facts()
      if (newLink === null || newLink.heldFor !== 'chats') return
      account.update({ newLink: withChats(newLink) })
      look()
    },
    /**
     * Takes a refusal (463) that no lock explains. Returns the time until which refusals prove
     * nothing because the link is new, and holds first contacts until then; null: the link is old,
     * and the refusal counts.
     */
    refusedUntil(): number | null {
      const newLink = withRefusal(account.facts().newLink, clock.now())
      if (newLink === null) return null
      account.update({ newLink })
      look()
      return endOf(newLink, clock.now())
    },
    /** Returns when the next number may be looked up, in milliseconds since 1970. */
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
 * Facts about look-ups, which are limited because WhatsApp watches accounts that ask for many
 * numbers, above all for numbers that do not exist (docs/decisions/0014-contacts.md). Times are
 * milliseconds since 1970. The functions on these facts are pure.
 */
interface LookUpFacts {
  /** Time of the last look-up; null: none yet. */
  lastAt: number | null
  /** Count of consecutive numbers that are not on WhatsApp. */
  wrongInARow: number
  /** Time until which first contacts wait; null: no hold. */
  heldUntil: number | null
}

const LOOK_UPS_APART = SECOND
const MOST_WRONG_IN_A_ROW = 20
const LOOK_UPS_HELD_FOR = HOUR

/**
 * Returns when the next look-up may be made: a second after the last, and not before a hold ends. A
 * clock that was set back never lengthens the wait.
 */
export function nextLookUpAt({ lastAt, heldUntil }: LookUpFacts, now: number): number {
  const spaced = lastAt === null || lastAt > now ? now : lastAt + LOOK_UPS_APART
  const held = heldUntil !== null && heldUntil - now <= LOOK_UPS_HELD_FOR ? heldUntil : now
  return Math.max(now, spaced, held)
}

/** Returns the time until which wrong numbers hold first contacts; null: no hold. */
export const heldUntil = (lookUps: LookUpFacts, now: number): number | null => {
  const until = lookUps.heldUntil
  return until !== null && until > now && until - now <= LOOK_UPS_HELD_FOR ? until : null
}

export const withLookUp = (lookUps: LookUpFacts, now: number): LookUpFacts => ({ ...lookUps, lastAt: now })

/**
 * Returns the facts after an answer: the twentieth wrong number in a row holds first contacts for
 * an hour, a number on WhatsApp ends the row. Must not be called if WhatsApp gave no answer.
 */
export function withAnswer(lookUps: LookUpFacts, isOnWhatsApp: boolean, now: number): LookUpFacts {
  if (isOnWhatsApp) return { ...lookUps, wrongInARow: 0 }
  const wrongInARow = lookUps.wrongInARow + 1
  if (wrongInARow < MOST_WRONG_IN_A_ROW) return { ...lookUps, wrongInARow }
  return { ...lookUps, wrongInARow: 0, heldUntil: now + LOOK_UPS_HELD_FOR }
}

/**
 * A link that was made a short time ago. The phone sends its history in the first minutes, and only
 * the history names the old customers and holds their tokens. Before that, a refused message (463)
 * proves nothing (Baileys issues 2441 and 2688, evolution-api 2650).
 */
interface NewLink {
  /** When the phone was linked, in milliseconds since 1970. */
  at: number
  /** Why first contacts wait: no chat was read, or WhatsApp refused a message. Null: no hold. */
  heldFor: 'chats' | 'refusal' | null
}

/** Longest wait for the first chats, because a phone that is off sends none. Our own limit. */
const CHATS_WITHIN = MINUTE
/** Time for which a link counts as new. Our choice. */
const NEW_FOR = 10 * MINUTE

const linkedAt = (at: number): NewLink => ({ at, heldFor: 'chats' })

const withChats = (link: NewLink): NewLink => (link.heldFor === 'chats' ? { ...link, heldFor: null } : link)

/** Returns a new link with first contacts held for a refusal; null: the link is old or missing. */
const withRefusal = (link: NewLink | null, now: number): NewLink | null =>
  link !== null && endOf({ ...link, heldFor: 'refusal' }, now) !== null ? { ...link, heldFor: 'refusal' } : null

/**
 * Returns the time until which a link holds first contacts, in milliseconds since 1970; null: no
 * hold. A link in the future was made before the clock was set back, and holds nothing.
 */
function endOf(link: NewLink | null, now: number): number | null {
  if (link === null || link.heldFor === null || link.at > now) return null
  const end = link.at + (link.heldFor === 'chats' ? CHATS_WITHIN : NEW_FOR)
  return end > now ? end : null
}
