import { ApiError } from '../contract/errors.ts'
import type { MessageFilters } from '../contract/messages.ts'
import { countryCodeOf, numbersMeant } from '../contract/phone.ts'
import { startOfDate } from '../lib/local-time.ts'
import type { Message, MessageSelection, MessageStore, SenderStore } from '../store/index.ts'
import { type KnownCaller, keyOf, reaches, reachesMessage } from './keys.ts'

/** Resolves with a message that this caller may see. @throws ApiError `message_not_found` */
export async function findMessage(messages: MessageStore, id: string, caller: KnownCaller): Promise<Message> {
  const message = await messages.find({ id })
  if (message === undefined || !reachesMessage(caller, message)) {
    throw new ApiError('message_not_found', 'There is no such message.')
  }
  return message
}

/** Returns the filter of a query. Undefined: an empty list, as the caller has no such sender. */
export function messageFilter(
  senders: SenderStore,
  query: MessageFilters,
  caller: KnownCaller,
): MessageSelection | undefined {
  const named = query.sender_code === undefined ? undefined : senders.byCode(query.sender_code)
  if (query.sender_code !== undefined && (named === undefined || !reaches(caller, named.id))) return undefined
  const key = keyOf(caller)
  const own = key?.kind === 'device' ? (key.senderId ?? -1) : undefined
  return {
    referenceId: query.reference_id,
    statuses: query.status,
    senderId: own ?? named?.id,
    ...sandboxPart(senders, query.sandbox),
    channel: query.channel,
    recipients: query.recipient === undefined ? undefined : numbersMeant(query.recipient, countriesOf(senders)),
    templateName: query.template_name,
    from: query.from === undefined ? undefined : momentOf(query.from, 0),
    to: query.to === undefined ? undefined : momentOf(query.to, 1),
    failedFrom: query.failed_from === undefined ? undefined : momentOf(query.failed_from, 0),
    text: query.q,
  }
}

function sandboxPart(senders: SenderStore, part: MessageFilters['sandbox']): MessageSelection {
  if (part === undefined || part === 'with') return {}
  const ids = [...senders.sandboxes()]
  return part === 'only' ? { onlyOf: ids } : { noneOf: ids }
}

/** Returns the country codes of the senders, for a customer's number without a country code. */
export const countriesOf = (senders: SenderStore): string[] =>
  senders.list().flatMap(({ settings, phone }) => settings.country_code ?? (phone === null ? [] : countryCodeOf(phone)))

/** Returns the time of a text (ms). A date is a day of this PC's calendar, moved by `days`. */
const momentOf = (text: string, days: 0 | 1): number =>
  text.length === 10 ? startOfDate(text, days) : Date.parse(text)
