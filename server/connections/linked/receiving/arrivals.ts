import {
  type AuthenticationCreds,
  type BinaryNode,
  isHostedLidUser,
  isHostedPnUser,
  isJidBroadcast,
  isJidStatusBroadcast,
  isLidUser,
  isPnUser,
  proto,
  unpadRandomMax16,
  type WAMessage,
  type WASocket,
} from 'baileys'
import { createBoundedMap } from '../../../lib/bounded-map.ts'
import { type Clock, SECOND } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/logger.ts'
import { createRateWindows } from '../../../lib/paces.ts'
import { phoneNumberOf } from '../account/addressing.ts'
import { MOST_ASKED_OF_PHONE, MOST_MESSAGE_BYTES, MOST_UNREADABLE } from '../library/bounds.ts'
import { takeOver } from '../library/library-socket.ts'
import { childrenOf, isOwnDevice } from '../library/stanzas.ts'

export interface ArrivalsContext {
  sockOf(): WASocket
  creds: AuthenticationCreds
  unreadable: Unreadable
  isClosed(): boolean
  /** Called with a message to this number. WhatsApp keeps the message until this resolves. */
  onWritten(from: string, message: WAMessage): Promise<void>
  /** Called with a message that the owner wrote on the phone. */
  onCopy(message: WAMessage): void
  logger: Logger
}

export type Arrivals = ReturnType<typeof createArrivals>

/** Handles the messages that arrive on one connection, from their stanza to their confirmation. */
export function createArrivals(context: ArrivalsContext) {
  const { sockOf, creds, unreadable, logger } = context
  /** Stanzas by their ciphertexts, for the code that decrypts and knows only the ciphertext. */
  const arriving = new WeakMap<Uint8Array, BinaryNode>()
  const isOfTooMany = (node: BinaryNode | undefined): boolean => unreadable.isTooMany(authorOf(node))
  const isTooLong = (node: BinaryNode): boolean =>
    bytesOf(node) > MOST_MESSAGE_BYTES && !isOwnDevice(authorOf(node), creds)

  /**
   * Takes a message that the owner wrote on the phone, because the library would confirm it for no
   * chat or for the wrong one.
   */
  function takeCopy(sock: WASocket, node: BinaryNode): void {
    confirmCopy(context, node).catch((err: unknown) => {
      logger.debug({ err }, 'a message of the owner’s phone could not be read')
      sock.sendMessageAck(node).catch((error: unknown) => logger.debug({ err: error }, 'nor confirmed'))
    })
  }

  return {
    /** Records a customer's decrypted message. Resolves with false if it is left to the library. */
    async take(ciphertext: Uint8Array, content: proto.Message): Promise<boolean> {
      const message = messageIn(arriving.get(ciphertext), content)
      if (message === undefined) return false
      const phone = await phoneNumberOf(sockOf(), message.key)
      if (phone === undefined) return false
      await context.onWritten(phone, message)
      return true
    },
    isTooMany: (ciphertext: Uint8Array): boolean => isOfTooMany(arriving.get(ciphertext)),
    onUnreadable: (ciphertext: Uint8Array): void => unreadable.count(authorOf(arriving.get(ciphertext))),
    /**
     * Handles an unreadable message as WhatsApp's clients do (whatsmeow message.go, whatsapp-rust
     * PR 647): asks for it again, and lets the library confirm it plainly.
     * @param again true if another copy may be readable
     */
    async refuse(ciphertext: Uint8Array, again: boolean): Promise<void> {
      const node = arriving.get(ciphertext)
      if (node === undefined) return
      if (again && !context.isClosed()) {
        const onError = (err: unknown) => logger.debug({ err }, 'a message could not be asked for again')
        await sockOf().sendRetryRequest(node).catch(onError)
      }
      if (Array.isArray(node.content)) node.content.push(NOTHING_TO_ASK_FOR)
    },
    /**
     * Takes over the library's listener for messages. Confirms without decrypting: messages in a
     * group, a status or a channel, and messages to a bot, because Kurir has no use for them;
     * messages that are too long; and messages of a device that sent too many unreadable ones. The
     * library would answer a message that it cannot decrypt with an error, and WhatsApp would then
     * hold back everything that came after it (Baileys PR 2779).
     */
    listen(sock: WASocket): void {
      takeOver<BinaryNode>(sock, 'CB:message', (node, theirs) => {
        if (!isOfPerson(node, creds) || isTooLong(node) || isOfTooMany(node)) {
          sock.sendMessageAck(node).catch((err: unknown) => logger.debug({ err }, 'a message could not be confirmed'))
          return undefined
        }
        // Kurir does not use `verified_name`, and the library refuses the whole message if it
        // cannot read it.
        if (Array.isArray(node.content)) node.content = node.content.filter(({ tag }) => tag !== 'verified_name')
        for (const { content } of childrenOf(node)) if (content instanceof Uint8Array) arriving.set(content, node)
        if (!isOwnDevice(node.attrs.from ?? '', creds) || isCopyForLibrary(node)) return theirs(node)
        return takeCopy(sock, node)
      })
    },
  }
}

async function confirmCopy({ sockOf, onCopy }: ArrivalsContext, node: BinaryNode): Promise<void> {
  const { id = '', from = '', recipient = '', t } = node.attrs
  for (const { attrs: enc, content: ciphertext } of childrenOf(node, 'enc')) {
    if (!(ciphertext instanceof Uint8Array)) continue
    const type = enc.type === 'pkmsg' ? 'pkmsg' : 'msg'
    const plaintext = await sockOf().signalRepository.decryptMessage({ jid: from, type, ciphertext })
    const { deviceSentMessage } = proto.Message.decode(unpadRandomMax16(plaintext))
    const key = { remoteJid: recipient, id, fromMe: true }
    onCopy({ key, message: deviceSentMessage?.message ?? null, messageTimestamp: Number(t) || 0 })
  }
  await sockOf().sendNode({ tag: 'receipt', attrs: { id, to: from, recipient, type: 'sender' } })
}

/** Returns the address of a stanza's author, including the device. */
const authorOf = (node: BinaryNode | undefined): string => node?.attrs.participant ?? node?.attrs.from ?? ''

const bytesOf = (node: BinaryNode): number =>
  childrenOf(node).reduce((sum, part) => sum + (part.content?.length ?? 0), 0)

/**
 * Keeps the library from asking the owner's phone for a message at once. `sendRetryRequest` asks
 * the phone later, and only if the message is still missing.
 */
const NOTHING_TO_ASK_FOR: BinaryNode = { tag: 'unavailable', attrs: { type: 'hosted_unavailable_fanout' } }

/**
 * True if a stanza may hold a message of a customer or of the owner's phone, in a form that the
 * library knows.
 */
function isOfPerson(node: BinaryNode, creds: AuthenticationCreds): boolean {
  const { from = '', recipient, participant = '' } = node.attrs
  const isKnown = ({ type }: BinaryNode['attrs']) => type === 'msg' || type === 'pkmsg'
  if (!childrenOf(node, 'enc').every(({ attrs }) => isKnown(attrs))) return false
  // People encrypt what they write, but the library would accept plaintext too.
  if (childrenOf(node, 'plaintext').length > 0) return false
  const isPerson = isPnUser(from) || isLidUser(from) || isHostedPnUser(from) || isHostedLidUser(from)
  if (isPerson) return recipient === undefined || isOwnDevice(from, creds)
  return isJidBroadcast(from) === true && !isJidStatusBroadcast(from) && participant !== ''
}

/**
 * True if the library confirms this account's own message correctly. WhatsApp expects a receipt
 * with the message's `from` as `to`, and with the message's `recipient`; the library sends that
 * only for chats by LID. After another answer WhatsApp ends the connection every 50 minutes
 * (whatsapp-rust PR 659, whatsmeow receipt.go).
 */
function isCopyForLibrary({ attrs }: BinaryNode): boolean {
  const { from = '', recipient, category, peer_recipient_lid } = attrs
  if (recipient === undefined || category === 'peer' || isLidUser(recipient)) return true
  return isPnUser(from) === true && isPnUser(recipient) === true && isLidUser(peer_recipient_lid) === true
}

/** Returns a customer's message in the library's form; undefined: it is not a customer's. */
function messageIn(node: BinaryNode | undefined, content: proto.Message): WAMessage | undefined {
  const { from, id, t, sender_pn, sender_lid } = node?.attrs ?? {}
  if (from === undefined || id === undefined || !(isPnUser(from) || isLidUser(from))) return undefined
  const alt = sender_pn ?? sender_lid
  const key = { remoteJid: from, id, fromMe: false, ...(alt === undefined ? {} : { remoteJidAlt: alt }) }
  return { key, message: content, messageTimestamp: Number(t) || 0 }
}

const MOST_REMEMBERED = 1_000

export type Unreadable = ReturnType<typeof createUnreadable>

/**
 * Counts messages that could not be read, because anybody can send them, and each costs work for
 * Kurir and for the owner's phone.
 */
export function createUnreadable({ elapsed }: Clock) {
  const counts = createRateWindows<string>(elapsed, MOST_REMEMBERED)
  const deafUntil = createBoundedMap<string, number>(MOST_REMEMBERED)
  const requests = createRateWindows<'phone'>(elapsed)
  const asked = createBoundedMap<string, unknown>(MOST_REMEMBERED)
  let phoneRestsUntil = 0

  return {
    count(device: string): void {
      const waitSeconds = counts.count(device, MOST_UNREADABLE - 1)
      if (waitSeconds !== null) deafUntil.set(device, elapsed() + waitSeconds * SECOND)
    },
    isTooMany: (device: string): boolean => (deafUntil.get(device) ?? 0) > elapsed(),
    /**
     * The library's cache of its requests to the owner's phone. The library makes no request for an
     * id that is in the cache, so `get` also claims that an id is there when the limit is reached.
     */
    requests: {
      get: <T>(id: string): T | undefined =>
        (asked.get(id) ?? (phoneRestsUntil > elapsed() ? true : undefined)) as T | undefined,
      set: <T>(id: string, value: T): void => {
        asked.set(id, value)
        // The last allowed request starts the rest.
        const waitSeconds = requests.count('phone', MOST_ASKED_OF_PHONE - 1)
        if (waitSeconds !== null) phoneRestsUntil = elapsed() + waitSeconds * SECOND
      },
      del: (id: string): void => asked.delete(id),
      flushAll: (): void => asked.clear(),
    },
  }
}
