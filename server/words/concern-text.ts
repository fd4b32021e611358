import type { Concern } from '../contract/concerns.ts'
import { formatPhone } from '../contract/phone.ts'
import { type Formats, formatsOf } from './format.ts'
import { say, sayWith, type ValuesOf, type Words } from './say.ts'
import { namesIn, type Value } from './text.ts'

/** A concern as its owner reads it. */
export interface DescribedConcern {
  /** The event. */
  event: string
  /** The same, and how many messages wait or failed because of it. */
  title: string
  /** Its meaning. */
  meaning: string
  /** The act that helps. */
  advice: string
  /** Label of the one button; null where there is none. */
  button: string | null
}

// More of them make no sentence.
const MOST_REASONS = 3

/** @param now milliseconds since 1970; times of this day are said without the day */
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

/** Names when it began, unless its sentence says that or when it ends. */
function withSince(event: string, { code, since, until }: Concern, words: Words, now: number): string {
  const names = namesIn(words.concerns[code].title)
  const isTold = names.includes('since') || names.includes('span') || (names.includes('until') && until !== null)
  if (since === null || isTold) return event
  const time = formatsOf(words.language).until(since, now)
  return event.replace(/\.$/, ` (${say(words, 'concernParts.sinceTime', { time })}).`)
}

/** The sentences about messages behind the title. */
function messagesOf({ code, waiting, failed }: Concern, words: Words): string[] {
  return [
    ...(waiting > 0 ? [say(words, 'concernParts.waiting', { waiting })] : []),
    ...(failed > 0 && code !== 'messages_failing' && code !== 'some_failed'
      ? [say(words, 'concernParts.failed', { failed })]
      : []),
  ]
}

/** Every value that the words of concerns name. */
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
    // Only for the sentence that names them: the first formatter of times holds up the first page.
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

/** "today", "since 13:00" */
function spanOf(since: string, words: Words, format: Formats, now: number): string {
  const midnight = new Date(now).setHours(0, 0, 0, 0)
  if (Date.parse(since) === midnight) return say(words, 'concernParts.today')
  return say(words, 'concernParts.sinceTime', { time: format.until(since, now) })
}

/**
 * "30 not on WhatsApp, 5 file too large"; a single reason without its number, which is that of all.
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

/** A sentence begins with a capital, unless it begins with an address. */
const capitalized = (text: string, { host }: Concern): string =>
  host !== null && text.startsWith(host) ? text : text.slice(0, 1).toUpperCase() + text.slice(1)
