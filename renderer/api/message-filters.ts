import type { ChannelName, MessageRow, SANDBOX_PARTS } from '../../server/contract/messages.ts'
import { lettersOf, withNumberJoined } from '../../server/contract/phone.ts'

/**
 * Filters of a message list as the window's address has them. `status` may be several, separated by
 * commas.
 */
export interface MessageFilters {
  channel?: ChannelName
  status?: string
  sender_code?: string
  /** Absent: messages of all senders, the sandbox included. */
  sandbox?: (typeof SANDBOX_PARTS)[number]
  recipient?: string
  template_name?: string
  reference_id?: string
  from?: string
  to?: string
  failed_from?: string
  q?: string
}

/**
 * True if a row from the live stream belongs in a list with these filters.
 * @param sandboxes codes of the sandbox senders
 */
export function matches(row: MessageRow, filters: MessageFilters, sandboxes: ReadonlySet<string> = new Set()): boolean {
  const { channel, status, sender_code, sandbox, recipient, template_name, reference_id, from, to, failed_from, q } =
    filters
  return (
    (channel === undefined || row.channel === channel) &&
    (status === undefined || status.split(',').includes(row.status)) &&
    (sender_code === undefined || row.sender_code === sender_code) &&
    (sandbox === undefined || sandbox === 'with' || sandboxes.has(row.sender_code) === (sandbox === 'only')) &&
    (recipient === undefined || row.recipient === recipient) &&
    (template_name === undefined || row.template?.name === template_name) &&
    (reference_id === undefined || row.reference_id === reference_id) &&
    (from === undefined || Date.parse(row.created_at) >= Date.parse(from)) &&
    (to === undefined || Date.parse(row.created_at) < Date.parse(to)) &&
    (failed_from === undefined ||
      (row.status === 'failed' && Date.parse(row.occurred_at) >= Date.parse(failed_from))) &&
    (q === undefined || found(row, q))
  )
}

// Four digits or more find a phone number anywhere within it.
const SHORTEST_PART = 4

/**
 * Applies the server's search to one row: every word of `q` must be a word of the row, and the last
 * word may be unfinished. A match here is always one for the server too. Rows that only the server
 * finds appear when the list is read again.
 */
function found(row: MessageRow, q: string): boolean {
  const searched = wordsOf(withNumberJoined(q))
  if (searched.length === 0) return q.trim() === ''
  const words = wordsOf([row.message, row.reference_id, row.template?.name].join('\n'))
  return searched.every((word, index) => {
    const last = index === searched.length - 1
    const part = lettersOf(word)
    const inNumber = part.length >= SHORTEST_PART && row.recipient.includes(part)
    return (last && inNumber) || row.recipient.endsWith(part) || words.some((one) => fits(one, word, last))
  })
}

const fits = (word: string, searched: string, unfinished: boolean) =>
  unfinished ? word.startsWith(searched) : word === searched

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
