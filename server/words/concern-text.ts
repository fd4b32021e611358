import type { Concern } from '../contract/concerns.ts'
import { formatPhone } from '../contract/phone.ts'
import { type Formats, formatsOf } from './format.ts'
import { say, sayWith, type ValuesOf, type Words } from './say.ts'
import { namesIn, type Value } from './text.ts'

export interface DescribedConcern {
  event: string
  /** The event, with its time and the number of messages that wait or failed because of it. */
  title: string
  meaning: string
  /** The act that helps. */
  advice: string
  /** Label of the button; null: no button. */
  button: string | null
}

// Most reasons that a sentence names.
const MOST_REASONS = 3

/** @param now milliseconds since 1970; times of this day are written without the day */
export function describeConcern(concern: Concern, words: Words, now: number): DescribedConcern {
  const { code, action } = concern
  const values = valuesOf(concern, words, now)
  const event = sayWith(words, `concerns.${code}.title`, values)
  return {
    event: capitalized(event, concern),
    title: capitalized([withSince(event, concern, words, now), ...messagesOf(concern, words)].join(' '), concern),
    meaning: sayWith(words, `concerns.${code}.meaning`, values),
    advice: sayWith(words, `concerns.${code}.advice`, values),
    button: action === null ? null : say(words, `actions.${action}`),
  }
}

/** Adds when a concern began, unless its sentence already names its begin or end. */
function withSince(event: string, { code, since, until }: Concern, words: Words, now: number): string {
  const names = namesIn(words.concerns[code].title)
  const isTold = names.includes('since') || names.includes('span') || (names.includes('until') && until !== null)
  if (since === null || isTold) return event
  const time = formatsOf(words.language).until(since, now)
  return event.replace(/\.$/, ` (${say(words, 'concernParts.sinceTime', { time })}).`)
}

/** Returns the sentences about messages that follow the title. */
function messagesOf({ code, waiting, failed }: Concern, words: Words): string[] {
  return [
    ...(waiting > 0 ? [say(words, 'concernParts.waiting', { waiting })] : []),
    ...(failed > 0 && code !== 'messages_failing' && code !== 'some_failed'
      ? [say(words, 'concernParts.failed', { failed })]
      : []),
  ]
}

/** All values that the texts of concerns need. */
type ConcernValues = Record<keyof ValuesOf<`concerns.${Concern['code']}.${'title' | 'meaning' | 'advice'}`>, Value>

function valuesOf(concern: Concern, words: Words, now: number): ConcernValues {
  const { code, count, failed, since, until, detail } = concern
  const format = formatsOf(words.language)
  const several = count === null ? say(words, 'concernParts.aNumber') : say(words, 'concernParts.numbers', { count })
  return {
    name: concern.sender_name ?? (concern.sender_code === null ? several : say(words, 'concernParts.aNumber')),
    host: concern.host ?? say(words, 'concernParts.aWebhook'),
    program: concern.program ?? say(words, 'concernParts.aProgram'),
    gateway: detail ?? say(words, 'concernParts.anotherGateway'),
    cause:
      Object.entries({ ...words.refusedBecause, ...words.folderFaults }).find(([name]) => name === detail)?.[1] ?? null,
    count,
    total: count,
    failed,
    // Getters, so that only a sentence with a time creates the time formatter, which is slow and
    // would delay the first page.
    get since() {
      return since && format.until(since, now)
    },
    get until() {
      return until && format.until(until, now)
    },
    get span() {
      return since && spanOf(since, words, format, now)
    },
    get size() {
      return count === null ? null : format.bytes(count)
    },
    reasons: reasonsOf(concern, words, format),
    check: Object.entries(words.checks).find(([name]) => name === detail)?.[1] ?? detail,
    risk: Object.entries(words.risks).find(([name]) => name === detail)?.[1] ?? words.risks.number,
    detail: code === 'other_phone' && detail !== null ? formatPhone(detail) : detail,
  }
}

/** Returns a span of time as "today" or "since 13:00". */
function spanOf(since: string, words: Words, format: Formats, now: number): string {
  const midnight = new Date(now).setHours(0, 0, 0, 0)
  if (Date.parse(since) === midnight) return say(words, 'concernParts.today')
  return say(words, 'concernParts.sinceTime', { time: format.until(since, now) })
}

/**
 * Returns reasons as "30 not on WhatsApp, 5 file too large". A single reason has no number, because
 * the sentence already gives the total.
 */
function reasonsOf({ reasons }: Concern, words: Words, format: Formats): string {
  const [only] = reasons
  if (only !== undefined && reasons.length === 1) return say(words, `reasons.${only.code}`)
  const named = reasons
    .slice(0, MOST_REASONS)
    .map(({ code, count }) => `${format.number(count)} ${say(words, `reasons.${code}`)}`)
  const rest = reasons.slice(MOST_REASONS).reduce((sum, { count }) => sum + count, 0)
  return [...named, ...(rest > 0 ? [`${format.number(rest)} ${say(words, 'concernParts.otherReasons')}`] : [])].join(
    ', ',
  )
}

/** Capitalizes a sentence, unless it begins with a host name. */
const capitalized = (text: string, { host }: Concern): string =>
  host !== null && text.startsWith(host) ? text : text.slice(0, 1).toUpperCase() + text.slice(1)
