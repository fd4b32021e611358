import {
  type BinaryNode,
  extractMessageContent,
  getContentType,
  isJidGroup,
  isLidUser,
  isPnUser,
  jidNormalizedUser,
  proto,
  toNumber,
  type WAMessage,
} from 'baileys'
import type { Status } from '../../../contract/messages.ts'
import { DAY, SECOND } from '../../../lib/clock.ts'
import { sleep } from '../../../lib/sleep.ts'
import { StorageError } from '../../../lib/storage-error.ts'
import type { CustomersPort, ReceivedContent } from '../../../senders/customers.ts'
import type { LinkedContext } from '../account/context.ts'
import { LONGEST_ID, TIMERS } from '../library/bounds.ts'
import { childOf, childrenOf } from '../library/stanzas.ts'

export const AGAIN_AFTER = 5 * SECOND
// Attempts to record a report if the error does not come from the storage. After these, WhatsApp
// repeats the report on the next connection.
const MOST_TRIES = 3
// Stanzas that wait in memory while the storage is unavailable. WhatsApp repeats the others on the
// next connection.
const MOST_WAITING = 10_000

/** Records WhatsApp's reports, and tries again while the storage is unavailable. */
export function createRecording(context: LinkedContext, onReceived: CustomersPort['received']) {
  const { senderId, store, stopping, clock, logger } = context
  let waitingForStorage = 0

  /**
   * Repeats `work` until it succeeds, because WhatsApp repeats an unconfirmed report only on the
   * next connection, and this one may last for weeks.
   * @throws the last error, if further attempts are in vain, too many reports wait, or the number
   *   stops
   */
  async function insisting<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await work()
      } catch (err) {
        const isInVain = err instanceof StorageError ? err.isInVain : tries >= MOST_TRIES
        if (isInVain || stopping.aborted || waitingForStorage >= MOST_WAITING) throw err
        logger.error({ err, sender: senderId }, 'what WhatsApp reported cannot be recorded yet')
      }
      waitingForStorage += 1
      await sleep(clock, AGAIN_AFTER, stopping).finally(() => {
        waitingForStorage -= 1
      })
    }
  }

  function background(work: Promise<unknown>): void {
    work.catch((err: unknown) => logger.error({ err, sender: senderId }, 'could not record what WhatsApp reported'))
  }

  async function noteInbound(number: string, message: WAMessage): Promise<void> {
    const contact = await store.contacts.get(senderId, number)
    const now = clock.now()
    // At most one write a day, however often the contact writes.
    if (contact?.known !== true || (contact.lastMessageAt ?? 0) <= now - DAY)
      await store.contacts.learn(senderId, [{ phone: number, lastMessageAt: now, timer: null }])
    const received = readReceived(message)
    if (received !== null) await onReceived({ ...received, senderId, from: number, fromUserId: null })
  }

  async function noteTimer(number: string, { seconds, setAt }: ChatTimer): Promise<void> {
    const contact = await store.contacts.get(senderId, number)
    if ((contact?.timer ?? null) !== seconds) await store.contacts.change(senderId, number, { timer: seconds, setAt })
  }

  return {
    insisting,
    background,
    /**
     * Records a customer's message. Passes over a message if our own code fails: WhatsApp repeats
     * unconfirmed messages, so a rejection would end every connection at this message.
     * @throws StorageError
     */
    async onWritten(number: string, message: WAMessage): Promise<void> {
      try {
        await insisting(() => noteInbound(number, message))
      } catch (err) {
        if (err instanceof StorageError || stopping.aborted) throw err
        logger.error({ err, sender: senderId }, 'a message of a customer is passed over')
      }
    },
    onInbound: (number: string, message: WAMessage): void => background(noteInbound(number, message)),
    onTimer: (number: string, timer: ChatTimer): void => background(noteTimer(number, timer)),
  }
}

const MESSAGE_TYPES: Record<string, string> = {
  conversation: 'text',
  extendedTextMessage: 'text',
  buttonsResponseMessage: 'button',
  templateButtonReplyMessage: 'button',
  listResponseMessage: 'list',
  ptvMessage: 'video',
  liveLocationMessage: 'location',
  contactsArrayMessage: 'contact',
}
/** Parts of the protocol, and changes of an earlier message. Nobody wrote these as a message. */
const NOT_WRITTEN = new Set([
  'protocolMessage',
  'senderKeyDistributionMessage',
  'messageContextInfo',
  'pollUpdateMessage',
  'keepInChatMessage',
  'encReactionMessage',
])

/**
 * Reads a customer's message. Pure.
 * @returns null for messages of a group or a status, for notices, and for unreadable messages
 */
export function readReceived({ key, message, messageTimestamp }: WAMessage): ReceivedContent | null {
  const chat = key.remoteJid ?? ''
  if (key.fromMe || !(isPnUser(chat) || isLidUser(chat))) return null
  const written = extractMessageContent(message)
  const edited = editIn(written?.protocolMessage)
  const content = edited ?? written
  const kind = content === undefined ? undefined : getContentType(content)
  if (content === undefined || kind === undefined || NOT_WRITTEN.has(kind)) return null
  const part: unknown = content[kind]
  const seconds = messageTimestamp == null ? 0 : toNumber(messageTimestamp)
  return {
    id: shortId(key.id),
    type: edited ? 'edit' : (MESSAGE_TYPES[kind] ?? kind.replace(/Message$/, '').toLowerCase()),
    text: textIn(part)?.replaceAll('\0', '') ?? null,
    replyTo: quotedIn(part),
    // A time from the year 10,000 on is invalid.
    occurredAt: seconds > 0 && seconds < 253_402_300_800 ? seconds * 1000 : 0,
  }
}

/**
 * Returns the new content of an edited message; undefined: it is no edit. People can edit only
 * their own messages, so any other edit is ignored.
 */
const editIn = (change: proto.Message.IProtocolMessage | null | undefined): proto.IMessage | undefined =>
  change?.type === proto.Message.ProtocolMessage.Type.MESSAGE_EDIT && change.key?.fromMe
    ? extractMessageContent(change.editedMessage)
    : undefined

/** Returns the id; null: it is missing or too long, because the writer chooses it. */
const shortId = (id: unknown): string | null =>
  typeof id === 'string' && id !== '' && id.length <= LONGEST_ID ? id : null

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined

function textIn(part: unknown): string | null {
  if (typeof part === 'string') return part
  const names = ['text', 'caption', 'selectedDisplayText', 'title']
  const found = names.map((name) => memberOf(part, name)).find((text) => typeof text === 'string' && text !== '')
  return typeof found === 'string' ? found : null
}

const quotedIn = (part: unknown): string | null => shortId(memberOf(memberOf(part, 'contextInfo'), 'stanzaId'))

/** How long messages of a chat stay before they disappear. */
export interface ChatTimer {
  /** Null: the messages do not disappear. */
  seconds: number | null
  /** In seconds since 1970. */
  setAt: number
}

/**
 * Reads the chat's timer from a message, either from a change of the timer or from an ordinary
 * message, which repeats the timer. `setAt` is never later than the message. Undefined: the message
 * says nothing about the timer. Pure.
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

export interface ReceiptReport {
  providerMessageId: string
  status: Status
  /** In milliseconds since 1970, by WhatsApp's clock. */
  at: number
  /** Addresses of the group member who sent the receipt. */
  member?: readonly string[]
}

/**
 * Status by the type of a receipt; no type means delivered. Other types say nothing about the fate
 * of a message.
 */
const RECEIPT_STATUS: Record<string, Status> = {
  '': 'delivered',
  read: 'read',
  played: 'read',
  // The owner's own phone shows the message.
  sender: 'sent',
}

// WhatsApp gives whole seconds. Uses the end of the second, because otherwise a receipt could seem
// older than its message.
function timeOf(t: string | undefined, now: number): number {
  const seconds = Number(t)
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(now, seconds * 1000 + 999) : now
}

/**
 * Reads a receipt, which may name many messages. Reads the stanza, because the library merges
 * receipts that arrive close together. Pure.
 */
export function readReceipt(node: BinaryNode, now: number): ReceiptReport[] {
  const { id, from, participant, type = '', t } = node.attrs
  const status = RECEIPT_STATUS[type]
  if (status === undefined) return []
  const isOfMember = isJidGroup(from) && type !== 'sender'
  if (isOfMember && participant === undefined) return readGathered(node, status, now)
  const member = isOfMember ? { member: [jidNormalizedUser(participant)] } : {}
  const items = childrenOf(childOf(node, 'list')).map((item) => item.attrs.id)
  return [id, ...items]
    .filter((one) => one !== undefined)
    .map((providerMessageId) => ({ providerMessageId, status, at: timeOf(t, now), ...member }))
}

/**
 * Reads the receipts of several group members from one stanza (whatsmeow 33cfac51, receipt.go).
 * Pure.
 */
const readGathered = (node: BinaryNode, status: Status, now: number): ReceiptReport[] =>
  childrenOf(node, 'participants').flatMap((each) =>
    childrenOf(each, 'user').flatMap(({ attrs: { jid, t = node.attrs.t } }) => {
      const { key } = each.attrs
      if (key === undefined || jid === undefined) return []
      return [{ providerMessageId: key, status, at: timeOf(t, now), member: [jidNormalizedUser(jid)] }]
    }),
  )
