import { extractMessageContent, getContentType, isLidUser, isPnUser, proto, toNumber, type WAMessage } from 'baileys'
import type { ReceivedContent } from '../../../senders/customers.ts'
import { LONGEST_ID, TIMERS } from '../library/bounds.ts'

const TYPES: Record<string, string> = {
  conversation: 'text',
  extendedTextMessage: 'text',
  buttonsResponseMessage: 'button',
  templateButtonReplyMessage: 'button',
  listResponseMessage: 'list',
  ptvMessage: 'video',
  liveLocationMessage: 'location',
  contactsArrayMessage: 'contact',
}
/** Parts of the protocol, and changes of an earlier message: nobody wrote them as one. */
const NOT_WRITTEN = new Set([
  'protocolMessage',
  'senderKeyDistributionMessage',
  'messageContextInfo',
  'pollUpdateMessage',
  'keepInChatMessage',
  'encReactionMessage',
])

/**
 * @returns null for what is no message of one customer: of a group, a status, a notice, one that
 *   could not be read. Pure.
 */
export function readReceived({ key, message, messageTimestamp }: WAMessage): ReceivedContent | null {
  const chat = key.remoteJid ?? ''
  if (key.fromMe || !(isPnUser(chat) || isLidUser(chat))) return null
  const content = extractMessageContent(message)
  const kind = content === undefined ? undefined : getContentType(content)
  if (content === undefined || kind === undefined || NOT_WRITTEN.has(kind)) return null
  const part: unknown = content[kind]
  const seconds = messageTimestamp == null ? 0 : toNumber(messageTimestamp)
  return {
    id: shortId(key.id),
    type: TYPES[kind] ?? kind.replace(/Message$/, '').toLowerCase(),
    text: textIn(part)?.replaceAll('\0', '') ?? null,
    replyTo: quotedIn(part),
    // Up to the year 10,000: what is later is no time.
    occurredAt: seconds > 0 && seconds < 253_402_300_800 ? seconds * 1000 : 0,
  }
}

/** The writer chooses the id: a longer one counts as none. */
const shortId = (id: unknown): string | null =>
  typeof id === 'string' && id !== '' && id.length <= LONGEST_ID ? id : null

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined

function textIn(part: unknown): string | null {
  if (typeof part === 'string') return part
  const names = ['text', 'caption', 'selectedDisplayText', 'title']
  const found = names.map((name) => member(part, name)).find((text) => typeof text === 'string' && text !== '')
  return typeof found === 'string' ? found : null
}

const quotedIn = (part: unknown): string | null => shortId(member(member(part, 'contextInfo'), 'stanzaId'))

/** Messages of a chat disappear after a time. */
export interface ChatTimer {
  /** Null: they stay. */
  seconds: number | null
  /** In seconds since 1970. */
  setAt: number
}

/**
 * A message says whether its chat's messages disappear, and so does the one that changes it; when,
 * at the latest now. Pure.
 */
export function timerIn({ message, messageTimestamp }: WAMessage): ChatTimer | undefined {
  const now = Number(messageTimestamp ?? 0)
  const change = message?.protocolMessage
  if (change?.type === proto.Message.ProtocolMessage.Type.EPHEMERAL_SETTING) {
    const seconds = change.ephemeralExpiration || null
    return seconds === null || TIMERS.has(seconds) ? { seconds, setAt: now } : undefined
  }
  for (const part of Object.values(message ?? {})) {
    const context = (part as { contextInfo?: proto.IContextInfo | null } | null)?.contextInfo
    const seconds = context?.expiration
    if (!seconds) continue
    const setAt = Number(context?.ephemeralSettingTimestamp ?? 0) || now
    return TIMERS.has(seconds) ? { seconds, setAt: Math.min(setAt, now) } : undefined
  }
  return undefined
}
