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

/** Pause after an error. */
export const AGAIN_AFTER = 5 * SECOND
// Tries of what no disk keeps from being recorded; it may be recorded with the next connection.
const MOST_TRIES = 3
// Stanzas kept in memory while the storage is away; the rest comes again with the next connection.
const MOST_WAITING = 10_000

/** Records what WhatsApp reports; tries again where the storage is away. */
export function createRecording(context: LinkedContext, onReceived: CustomersPort['received']) {
  const { senderId, store, stopping, clock, logger } = context
  let waitingForStorage = 0

  /**
   * WhatsApp repeats what was not confirmed only with the next connection, and this one may last
   * for weeks.
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
     * WhatsApp repeats what is not confirmed: a fault of ours must not end each connection for one
     * message.
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
    // Up to the year 10,000: what is later is no time.
    occurredAt: seconds > 0 && seconds < 253_402_300_800 ? seconds * 1000 : 0,
  }
}

/** The new content of a message; people edit only their own. */
const editIn = (change: proto.Message.IProtocolMessage | null | undefined): proto.IMessage | undefined =>
  change?.type === proto.Message.ProtocolMessage.Type.MESSAGE_EDIT && change.key?.fromMe
    ? extractMessageContent(change.editedMessage)
    : undefined

/** The writer chooses the id: a longer one counts as none. */
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

export interface ReceiptReport {
  providerMessageId: string
  status: Status
  /** Milliseconds; by WhatsApp's clock. */
  at: number
  /** The address of the member of a group whose receipt it is. */
  member?: readonly string[]
}

/**
 * By the type of a receipt; no type means delivered. Those not listed say nothing about what became
 * of a message.
 */
const RECEIPT_STATUS: Record<string, Status> = {
  '': 'delivered',
  read: 'read',
  played: 'read',
  // The owner's own phone shows the message.
  sender: 'sent',
}

// WhatsApp gives whole seconds: the end of one, or else a receipt would seem older than its
// message.
function timeOf(t: string | undefined, now: number): number {
  const seconds = Number(t)
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(now, seconds * 1000 + 999) : now
}

/**
 * Reads a receipt, which may speak of many messages. Read from the stanza because the library
 * merges receipts that come close together. Pure.
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

/** Receipts of several members of a group in one stanza (whatsmeow 33cfac51, receipt.go). Pure. */
const readGathered = (node: BinaryNode, status: Status, now: number): ReceiptReport[] =>
  childrenOf(node, 'participants').flatMap((each) =>
    childrenOf(each, 'user').flatMap(({ attrs: { jid, t = node.attrs.t } }) => {
      const { key } = each.attrs
      if (key === undefined || jid === undefined) return []
      return [{ providerMessageId: key, status, at: timeOf(t, now), member: [jidNormalizedUser(jid)] }]
    }),
  )
