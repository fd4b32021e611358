import type { Concern } from '../concerns.ts'
import { type Formats, formatsOf } from '../format.ts'
import { formatPhone } from '../phone.ts'
import type { Language } from '../settings.ts'
import { en } from './en.ts'
import { id } from './id.ts'
import type { ConcernTexts } from './texts.ts'

export const CONCERN_TEXTS: Record<Language, ConcernTexts> = { en, id }

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
export function describeConcern(concern: Concern, language: Language, now: number): DescribedConcern {
  const texts = CONCERN_TEXTS[language]
  const format = formatsOf(language)
  const values = valuesOf(concern, texts, format, now)
  const { title, meaning, advice } = texts.concerns[concern.code]
  const sentences = [
    fill(title, values, format),
    ...messagesOf(concern, texts).map((text) => fill(text, values, format)),
  ]
  return {
    event: capitalized(sentences[0] ?? '', concern),
    title: capitalized(sentences.join(' '), concern),
    meaning: fill(meaning, values, format),
    advice: fill(advice, values, format),
    button: concern.action === null ? null : texts.actions[concern.action],
  }
}

/** The sentences about messages behind the title. */
function messagesOf({ code, waiting, failed }: Concern, texts: ConcernTexts): string[] {
  return [...(waiting > 0 ? [texts.waiting] : []), ...(failed > 0 && code !== 'messages_failing' ? [texts.failed] : [])]
}

type Values = Record<string, string | number | null>

function valuesOf(concern: Concern, texts: ConcernTexts, format: Formats, now: number): Values {
  const { code, count, waiting, failed, since, until, detail } = concern
  const several = count === null ? texts.aNumber : fill(texts.numbers, { count }, format)
  return {
    name: concern.sender_name ?? (concern.sender_code === null ? several : texts.aNumber),
    host: concern.host ?? texts.aWebhook,
    count,
    total: count,
    waiting,
    failed,
    // Only for the sentence that names them: the first formatter of times holds up the first page.
    get since() {
      return since && format.until(since, now)
    },
    get until() {
      return until && format.until(until, now)
    },
    get span() {
      return since && spanOf(since, texts, format, now)
    },
    get size() {
      return count === null ? null : format.bytes(count)
    },
    reasons: reasonsOf(concern, texts, format),
    check: texts.checks[detail as keyof ConcernTexts['checks']] ?? detail,
    detail: code === 'other_phone' && detail !== null ? formatPhone(detail) : detail,
  }
}

/** "today", "since 13:00" */
function spanOf(since: string, texts: ConcernTexts, format: Formats, now: number): string {
  const midnight = new Date(now).setHours(0, 0, 0, 0)
  if (Date.parse(since) === midnight) return texts.today
  return fill(texts.sinceTime, { time: format.until(since, now) }, format)
}

/**
 * "30 not on WhatsApp, 5 file too large"; a single reason without its number, which is that of all.
 */
function reasonsOf({ reasons }: Concern, texts: ConcernTexts, format: Formats): string {
  const [only] = reasons
  if (only !== undefined && reasons.length === 1) return texts.reasons[only.code]
  const named = reasons
    .slice(0, MOST_REASONS)
    .map(({ code, count }) => `${format.number(count)} ${texts.reasons[code]}`)
  const rest = reasons.slice(MOST_REASONS).reduce((sum, { count }) => sum + count, 0)
  return [...named, ...(rest > 0 ? [`${format.number(rest)} ${texts.otherReasons}`] : [])].join(', ')
}

const PLACEHOLDER = /\{(\w+)(?::([^|{}]*)\|([^{}]*))?\}/g

/** Fills a text in: see `ConcernText`. What is filled in is not read again. */
function fill(text: string, values: Values, format: Formats): string {
  const known = (part: string) => [...part.matchAll(PLACEHOLDER)].every(([, name = '']) => values[name] != null)
  const filled = (part: string) =>
    part.replace(PLACEHOLDER, (_, name: string, one?: string, other?: string) => {
      const value = values[name] ?? ''
      if (one !== undefined && other !== undefined) return value === 1 ? one : other
      return typeof value === 'number' ? format.number(value) : value
    })
  return text
    .split(/(\[[^[\]]*\])/)
    .map((part) => (part.startsWith('[') ? (known(part) ? filled(part.slice(1, -1)) : '') : filled(part)))
    .join('')
}

/** A sentence begins with a capital, unless it begins with an address. */
const capitalized = (text: string, { host }: Concern): string =>
  host !== null && text.startsWith(host) ? text : text.slice(0, 1).toUpperCase() + text.slice(1)
