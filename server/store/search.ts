import { lettersOf, withNumberJoined } from '../contract/phone.ts'
import { type Columns, firstOf, integer, text, textOrNull } from './columns.ts'
import type { Message, MessageFilter, MessageStore } from './messages.ts'

// Most rows of one step, and most characters of their texts. A step must be short, because other
// calls wait for it: indexing words that no other text has takes a hundredth of a second.
export const BATCH = 200
const STEP_LENGTH = 16 * 1024
/** Characters of a text that are searched. */
const SEARCHED_LENGTH = 4096
// A search finds any part of a phone number with four digits or more.
const SHORTEST_TAIL = 4

/** The searched part of a message. */
export interface Unsearched {
  seq: number
  senderId: number
  recipient: string
  body: string | null
  reference: string | null
  template: string | null
}

export const UNSEARCHED: Columns<Unsearched> = {
  seq: integer('seq'),
  senderId: integer('sender_id'),
  recipient: text('recipient'),
  body: textOrNull(`substr(body, 1, ${SEARCHED_LENGTH})`),
  reference: textOrNull('reference_id'),
  template: textOrNull('template_name'),
}

/**
 * Returns all tails of a number as words, so that a prefix search finds the middle of the number as
 * well.
 */
export function tails(phone: string): string {
  const words: string[] = []
  for (let at = 0; at <= phone.length - SHORTEST_TAIL; at += 1) words.push(phone.slice(at))
  return words.join(' ')
}

/**
 * Splits an owner's search into words. A message must have all of them; the index finds a word by
 * its beginning.
 */
export function searchWords(given: string): string[] {
  return withNumberJoined(given).match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
}

/**
 * Returns the forms of a word to search for. A national number is also searched as it was typed,
 * because it may be a reference.
 */
export const formsOf = (word: string): string[] => [...new Set([word, lettersOf(word)])]

/**
 * True if a word is long enough to be searched in phone numbers. A shorter one is in nearly every
 * number: "INV-2" would find all invoices of customers with a 2 in their number.
 */
export const isPartOfNumber = (word: string): boolean => word.length >= SHORTEST_TAIL

/** Returns the columns in which a word is searched if a message is not in the index yet. */
export const columnsWith = (word: string): string[] => [
  ...(isPartOfNumber(word) ? ['m.recipient'] : []),
  ...[`substr(m.body, 1, ${SEARCHED_LENGTH})`, 'm.reference_id', 'm.template_name'],
]

type Found = Message[] | Promise<Message[]>

/** The parts of a list that each engine implements. */
export interface ListReads {
  newest(filter: MessageFilter): Found
  /** Searches the few messages after `upTo` letter by letter. */
  fresh(filter: MessageFilter, words: readonly string[], upTo: number): Found
  /** Searches the index, which contains the messages up to `upTo`. */
  indexed(filter: MessageFilter, words: readonly string[], upTo: number): Found
}

/**
 * Returns a function that lists messages, or searches them by words: first the messages that the
 * background has not indexed yet, then the index.
 */
export function listing(upTo: () => number, { newest, fresh, indexed }: ListReads): MessageStore['list'] {
  return async (filter: MessageFilter) => {
    const text = filter.text?.trim() ?? ''
    if (text === '') return newest(filter)
    const words = searchWords(text)
    // A search for symbols alone, such as an emoji, finds nothing: no index has them, and a list of
    // all messages would be wrong.
    if (words.length === 0) return []
    // Read once: the background may index more meanwhile, and each message must be searched in one
    // way only.
    const known = upTo()
    const found = await fresh(filter, words, known)
    const missing = filter.limit - found.length
    return missing <= 0 ? found : [...found, ...(await indexed({ ...filter, limit: missing }, words, known))]
  }
}

/**
 * Returns the first rows, as many as one step indexes but at least one, and whether more are left.
 */
export function stepOf(found: readonly Unsearched[]): { rows: readonly Unsearched[]; more: boolean } {
  const rows = firstOf(found, STEP_LENGTH, ({ body }) => body?.length ?? 0)
  return { rows, more: rows.length < found.length || found.length === BATCH }
}

/**
 * Fills the search index some time after messages were accepted, so that no caller waits while
 * words are split.
 */
export interface SearchStore {
  /** Indexes one batch; resolves with false when all messages are indexed. */
  step(): Promise<boolean>
}
