import { lettersOf, withNumberJoined } from '../contract/phone.ts'
import { type Columns, firstOf, integer, text, textOrNull } from './columns.ts'
import type { Message, MessageFilter, MessageStore } from './messages.ts'

// Rows of one step, and characters of their texts, which must not keep others waiting. Words that
// no other text has take a hundredth of a second.
export const BATCH = 200
const STEP_LENGTH = 16 * 1024
/** Searched characters of a text. */
const SEARCHED_LENGTH = 4096
// Phone numbers are searched by any part of four digits or more.
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

/** Every tail of a number is a word, so that a prefix search finds its middle as well. */
export function tails(phone: string): string {
  const words: string[] = []
  for (let at = 0; at <= phone.length - SHORTEST_TAIL; at += 1) words.push(phone.slice(at))
  return words.join(' ')
}

/**
 * The words of an owner's search. A message must have every one of them; the index knows each by
 * its beginning.
 */
export function searchWords(given: string): string[] {
  return withNumberJoined(given).match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
}

/**
 * The forms in which a word is looked for: a national number as it was typed too, because it may be
 * a reference.
 */
export const formsOf = (word: string): string[] => [...new Set([word, lettersOf(word)])]

/**
 * A shorter one is in nearly every number: "INV-2" would find all invoices of customers with a 2 in
 * theirs.
 */
export const isPartOfNumber = (word: string): boolean => word.length >= SHORTEST_TAIL

/** Columns in which a word is looked for where a message is in no index yet. */
export const columnsWith = (word: string): string[] => [
  ...(isPartOfNumber(word) ? ['m.recipient'] : []),
  ...[`substr(m.body, 1, ${SEARCHED_LENGTH})`, 'm.reference_id', 'm.template_name'],
]

type Found = Message[] | Promise<Message[]>

/** How an engine reads lists of messages. */
export interface ListReads {
  newest(filter: MessageFilter): Found
  /** Letter by letter, in the few messages after `upTo`. */
  fresh(filter: MessageFilter, words: readonly string[], upTo: number): Found
  /** In the index, which knows the messages up to `upTo`. */
  indexed(filter: MessageFilter, words: readonly string[], upTo: number): Found
}

/** Lists, or searches by words: first in what the background has not split into words yet. */
export function listing(upTo: () => number, { newest, fresh, indexed }: ListReads): MessageStore['list'] {
  return async (filter: MessageFilter) => {
    const text = filter.text?.trim() ?? ''
    if (text === '') return newest(filter)
    const words = searchWords(text)
    // Only signs, such as an emoji, which no index has: found nowhere, for everything would be the
    // wrong answer.
    if (words.length === 0) return []
    // The background may split more meanwhile: each message is looked for in one way.
    const known = upTo()
    const found = await fresh(filter, words, known)
    const missing = filter.limit - found.length
    return missing <= 0 ? found : [...found, ...(await indexed({ ...filter, limit: missing }, words, known))]
  }
}

/** The first of these rows, for one step of at least one where there is one. */
export function stepOf(found: readonly Unsearched[]): { rows: readonly Unsearched[]; more: boolean } {
  const rows = firstOf(found, STEP_LENGTH, ({ body }) => body?.length ?? 0)
  return { rows, more: rows.length < found.length || found.length === BATCH }
}

/**
 * Fills the search index some time after messages were accepted: no word is split while a caller
 * waits.
 */
export interface SearchStore {
  /** Takes one batch; false when all is done. */
  step(): Promise<boolean>
}
