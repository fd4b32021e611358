import { isAlarm } from '../../contract/concerns.ts'
import type { Overview } from '../../contract/operation.ts'
import { type Clock, MINUTE } from '../../lib/clock.ts'

/** A shorter trouble heals by itself, and would only teach the owner to look away. */
const AFTER = 5 * MINUTE
/** Longer than what does not move needs to be noticed again after a start (STUCK_AFTER). */
const OVER_AFTER = 20 * MINUTE

/** Part of the overview that is reported. */
export type Reported = Pick<Overview, 'figures' | 'concerns'>

/** Since when each concern is here, and each that was reported is gone; in time that passes. */
export function createWatch(clock: Clock) {
  const seen = new Map<string, number>()
  const gone = new Map<string, number>()
  /** Sends of the day when messages failed last, or this run began. */
  let sentBefore: number | undefined

  const isFor = (times: Map<string, number>, id: string, ms: number): boolean =>
    clock.elapsed() - (times.get(id) ?? clock.elapsed()) >= ms

  return {
    note({ concerns, figures }: Reported, reported: readonly { id: string }[]): void {
      const here = new Set(concerns.filter(isAlarm).map(({ id }) => id))
      // While the database cannot be read nothing is known of the others: they last, and none of
      // them is over.
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
    /** An hour that passes or a day that begins solves nothing: something has to leave since. */
    isOver: (id: string, sentToday: number): boolean =>
      isFor(gone, id, OVER_AFTER) && (id !== 'messages_failing' || (sentToday > 0 && sentToday !== sentBefore)),
  }
}

/** Notes since when each of these holds, and forgets the others. */
function follow(times: Map<string, number>, ids: ReadonlySet<string>, now: number): void {
  for (const id of times.keys()) if (!ids.has(id)) times.delete(id)
  for (const id of ids) if (!times.has(id)) times.set(id, now)
}

/**
 * True if two concerns are of one sender, of one receiver, or of one kind. Where another one is
 * open, the trouble has changed: to call the first one solved would reassure falsely.
 */
export function isAboutTheSame(one: string, other: string): boolean {
  const [[code, about], [otherCode, otherAbout]] = [one.split('/'), other.split('/')]
  return kindOf(code) === kindOf(otherCode) || (about !== undefined && about === otherAbout)
}

const kindOf = (code = ''): string => (code.startsWith('storage_') ? 'storage' : code)
