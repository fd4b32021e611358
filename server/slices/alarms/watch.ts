import { isAlarm } from '../../contract/concerns.ts'
import type { Overview } from '../../contract/operation.ts'
import { type Clock, MINUTE } from '../../lib/clock.ts'

/** Shorter trouble heals by itself; reporting it would teach the owner to ignore alarms. */
const AFTER = 5 * MINUTE
/**
 * More than STUCK_AFTER, because after a restart a stuck lane is noticed again only after that
 * time.
 */
const OVER_AFTER = 20 * MINUTE

export type Reported = Pick<Overview, 'figures' | 'concerns'>

/**
 * Tracks how long each concern has been open, and how long each reported one has been gone, on the
 * monotonic clock.
 */
export function createWatch(clock: Clock) {
  const seen = new Map<string, number>()
  const gone = new Map<string, number>()
  /**
   * Messages sent today when `messages_failing` was last open or, before that, at the first look.
   */
  let sentBefore: number | undefined

  const isFor = (times: Map<string, number>, id: string, ms: number): boolean =>
    clock.elapsed() - (times.get(id) ?? clock.elapsed()) >= ms

  return {
    note({ concerns, figures }: Reported, reported: readonly { id: string }[]): void {
      const here = new Set(concerns.filter(isAlarm).map(({ id }) => id))
      // While the database is unreadable the other concerns are unknown: keep them open, and call
      // none of them over.
      const isKnown = figures !== null
      follow(seen, isKnown ? here : new Set([...here, ...seen.keys()]), clock.elapsed())
      const ids = isKnown ? reported.map(({ id }) => id) : []
      follow(gone, new Set(ids.filter((id) => !here.has(id))), clock.elapsed())
      if (here.has('messages_failing')) sentBefore = figures?.today.sent
      sentBefore ??= figures?.today.sent
    },
    forget(): void {
      for (const times of [seen, gone]) times.clear()
    },
    lasts: (id: string): boolean => isFor(seen, id, AFTER),
    /**
     * `messages_failing` also ends when an hour passes or a day begins, so it is over only if a
     * message has been sent since.
     */
    isOver: (id: string, sentToday: number): boolean =>
      isFor(gone, id, OVER_AFTER) && (id !== 'messages_failing' || (sentToday > 0 && sentToday !== sentBefore)),
  }
}

/** Records since when each id is present, and forgets the ids that are not. */
function follow(times: Map<string, number>, ids: ReadonlySet<string>, now: number): void {
  for (const id of times.keys()) if (!ids.has(id)) times.delete(id)
  for (const id of ids) if (!times.has(id)) times.set(id, now)
}

/**
 * Returns true if two concerns share their sender, receiver or kind. While a related concern is
 * open the trouble has only changed, and reporting the first as solved would reassure falsely.
 */
export function isAboutTheSame(one: string, other: string): boolean {
  const [[code, about], [otherCode, otherAbout]] = [one.split('/'), other.split('/')]
  return kindOf(code) === kindOf(otherCode) || (about !== undefined && about === otherAbout)
}

const kindOf = (code = ''): string => (code.startsWith('storage_') ? 'storage' : code)
