import {
  type AuthenticationCreds,
  type BinaryNode,
  isHostedLidUser,
  isHostedPnUser,
  isJidBroadcast,
  isJidStatusBroadcast,
  isLidUser,
  isPnUser,
  jidDecode,
  jidNormalizedUser,
  proto,
  type UserFacingSocketConfig,
  unpadRandomMax16,
  type WABrowserDescription,
  type WAMessage,
  type WAMessageKey,
  type WASocket,
  type WAVersion,
} from 'baileys'
import type { WebSocket } from 'ws'
import type { Logger } from '../../../lib/logger.ts'
import type { Address } from '../account/address-book.ts'
import type { DeviceCache } from '../account/device-cache.ts'
import type { KeysOnDisk, Note } from '../keys/auth-state.ts'
import type { SenderKeys } from '../keys/sender-keys.ts'
import { type Customers, type RepositoryDeps, savingSessionsAtOnce } from '../keys/signal-repository.ts'
import { MOST_MESSAGE_BYTES, TIMERS } from '../library/bounds.ts'
import { createLibraryLogger } from '../library/library-logger.ts'
import { makeSocket } from '../library/library-socket.ts'
import { createWriteBarrier, holdFrames } from '../library/write-barrier.ts'
import { type PasskeyEvents, takePasskeyNotices } from '../passkey/passkey-notices.ts'
import { takeNotifications } from '../receiving/notifications.ts'
import type { Unreadable } from '../receiving/unreadable.ts'
import { createGroupRetries, type GroupRetriesDeps } from '../sending/group-retries.ts'
import { createRetries } from '../sending/retries.ts'
import { PAIRING_BROWSER } from './pairing-code.ts'
import { answerPairDevice } from './qr-codes.ts'

/** The library counts each request twice, so that a message is given out again five times. */
const RETRIES = 10

export interface SocketOptions {
  /** Default: WhatsApp's. */
  url?: string
  /** How long WhatsApp may take to answer a question, in milliseconds. */
  queryTimeout: number
  /** How long each QR code lives; default: the first a minute, the others 20 s. */
  qrTimeout?: number
  devices: DeviceCache
  unreadable: Unreadable
  senderKeys: SenderKeys
  groups: GroupRetriesDeps['groups']
  /** @param chat where it was sent, without a device */
  contentOf: (providerMessageId: string, chat: string) => Promise<proto.IMessage | undefined>
  /** A person's address as messages are written to it, and the own one in the same form. */
  addressOf: (chat: string, sock: WASocket) => Promise<Pick<Address, 'jid' | 'ownJid'>>
  /** Keeps parts of a message of the owner's phone before WhatsApp gets its receipt. */
  keepOfPhone: (plaintext: Uint8Array, sock: WASocket) => Promise<readonly Note[]>
  logger: Logger
}

export interface Identity {
  creds: AuthenticationCreds
  keys: KeysOnDisk
  version: WAVersion
  /** A code is to be typed in on the phone. */
  pairingCode: boolean
}

/**
 * Messages of a chat disappear after so many seconds; null: they stay. `setAt` in seconds since
 * 1970.
 */
export interface ChatTimer {
  phone: string
  seconds: number | null
  setAt: number
}

export interface SocketEvents extends PasskeyEvents {
  /** The QR codes that WhatsApp gives this connection, to be shown one after the other. */
  onCodes(codes: string[]): void
  /**
   * WhatsApp has linked a phone; `migrated`: whether its account addresses people by LID, as far as
   * it is said.
   */
  onPairSuccess(migrated: boolean | undefined): void
  /** A question got an error. */
  onRefusedQuery(code: string | null): void
  onOpen(): void
  /** Credentials changed; `creds` holds the change already. */
  onCredentials(): void
  /** Called once, and not after `close`. */
  onClose(error: unknown): void
  /** Anything at all came from the other side. */
  onFrame(): void
  onStanza: {
    ack(node: BinaryNode): void
    /**
     * The receipt is confirmed once this resolves; otherwise WhatsApp keeps it for the next time.
     */
    receipt(node: BinaryNode): Promise<unknown>
    notification(node: BinaryNode): void
    /** Hears what the server says of the connection itself. */
    info(node: BinaryNode): void
  }
  /** Somebody wrote to this number: WhatsApp keeps the message until this resolves. */
  onWritten(from: string, message: WAMessage): Promise<void>
  /** The library has read a message to this number, perhaps for the second time. */
  onInbound(from: string, message: WAMessage): void
  onTimer(timer: ChatTimer): void
  /** The phone has sent something of its history, or that it moved to LIDs. */
  onHistory(): void
}

export interface Connection {
  sock: WASocket
  /** Resolves when either side has hung up. */
  closed: Promise<void>
  /** Hangs up without calling `onClose`. */
  close(): void
}

/** The status code in the library's errors; some of them are numbers and no errors at all. */
export function codeOf(error: unknown): number | undefined {
  if (typeof error === 'number') return error
  return (error as { output?: { statusCode?: number } } | undefined)?.output?.statusCode
}

interface Hooks
  extends Pick<RepositoryDeps, 'hold' | 'onLost' | 'refuse'>,
    Pick<Customers, 'take' | 'isTooMany' | 'onUnreadable'> {
  sockOf(): WASocket
}

/** WhatsApp takes pairing codes only from names of systems that it knows. */
const browserOf = (pairingCode: boolean): WABrowserDescription =>
  pairingCode ? PAIRING_BROWSER : ['Kurir', 'Chrome', '1.0']

function configOf(
  options: SocketOptions,
  { creds, keys, version, pairingCode }: Identity,
  { sockOf, hold, onLost, refuse, ...customers }: Hooks,
): UserFacingSocketConfig {
  const config: UserFacingSocketConfig = {
    auth: { creds, keys },
    version,
    browser: browserOf(pairingCode),
    logger: createLibraryLogger(options.logger),
    // Being online would silence the notifications of the owner's phone.
    markOnlineOnConnect: false,
    syncFullHistory: false,
    // It is read by our own decoder, which keeps no text.
    shouldSyncHistoryMessage: () => false,
    // It would be a timer, two formatted stacks and an error for each frame. A line that says
    // nothing is ended by `dial` before it is open, and by the library's pings from then on.
    connectTimeoutMs: 0,
    defaultQueryTimeoutMs: options.queryTimeout,
    maxMsgRetryCount: RETRIES,
    // A commit that fails has little hope to succeed later, and the whole lane would wait for it.
    transactionOpts: { maxCommitRetries: 2, delayBetweenTriesMs: 200 },
    makeSignalRepository: savingSessionsAtOnce(keys, {
      phone: {
        is: (jid) => isOwnPhone(jid, creds),
        users: () => ownUsers(creds),
        keep: (plaintext) => options.keepOfPhone(plaintext, sockOf()),
      },
      customers: {
        is: (jid) => (isPnUser(jid) || isLidUser(jid)) === true && !isOwnDevice(jid, creds),
        async lidOf(user) {
          const lid = (await keys.get('lid-mapping', [user]))[user]
          return typeof lid === 'string' && lid !== '' ? lid : null
        },
        ...customers,
      },
      senderKeys: options.senderKeys.records,
      hold,
      onLost,
      refuse,
    }),
    userDevicesCache: options.devices.store,
    placeholderResendCache: options.unreadable.requests,
    // Its pause after each unreadable message holds up everybody's: a hundred of them shut the
    // inbox for half a minute.
    retryRequestDelayMs: 0,
    getMessage: ({ id, remoteJid }) => options.contentOf(id ?? '', jidNormalizedUser(remoteJid ?? undefined)),
  }
  if (options.url !== undefined) config.waWebSocketUrl = options.url
  return config
}

/** Opens one connection to WhatsApp. It never comes back by itself. */
export function openConnection(options: SocketOptions, identity: Identity, events: SocketEvents): Connection {
  const { logger } = options
  /** The stanzas whose content is being decrypted. */
  const arriving = new WeakMap<Uint8Array, BinaryNode>()
  async function take(ciphertext: Uint8Array, plaintext: Uint8Array): Promise<void> {
    const message = messageIn(arriving.get(ciphertext), plaintext)
    if (message === undefined) return
    const phone = await phoneNumberOf(sock, message.key)
    if (phone !== undefined) await events.onWritten(phone, message)
  }
  /**
   * As WhatsApp's clients do it: it is asked for again, and confirmed plainly (whatsmeow
   * message.go, whatsapp-rust PR 647).
   */
  async function refuse(ciphertext: Uint8Array, again: boolean): Promise<void> {
    const node = arriving.get(ciphertext)
    if (node === undefined) return
    if (again && !closed) {
      const onError = (err: unknown) => logger.debug({ err }, 'a message could not be asked for again')
      await sock.sendRetryRequest(node).catch(onError)
    }
    if (Array.isArray(node.content)) node.content.push(NOTHING_TO_ASK_FOR)
  }
  function fail(error: unknown): void {
    if (closed) return
    close()
    events.onClose(error)
  }
  const onLost = () => fail(new Error('a step of a session could not be read or stored'))
  const barrier = createWriteBarrier(onLost)
  const isTooMany = (node: BinaryNode | undefined): boolean => options.unreadable.isTooMany(authorOf(node))
  const hooks: Hooks = {
    sockOf: () => sock,
    take,
    isTooMany: (ciphertext) => isTooMany(arriving.get(ciphertext)),
    onUnreadable: (ciphertext) => options.unreadable.count(authorOf(arriving.get(ciphertext))),
    hold: barrier.hold,
    onLost,
    refuse,
  }
  const sock: WASocket = makeSocket(configOf(options, identity, hooks), fail)
  holdFrames(sock, barrier)
  takeNotifications(sock, logger)

  const onFrame = (): void => events.onFrame()
  const taps: Record<string, (node: BinaryNode) => void> = {
    'CB:ack,class:message': events.onStanza.ack,
    'CB:notification': events.onStanza.notification,
    'CB:ib': (node) => {
      events.onStanza.info(node)
      askForTheRest(sock, node, logger)
    },
    'CB:iq,,pair-success': (node) => events.onPairSuccess(migrationIn(node)),
    'CB:iq,type:error': (node) => events.onRefusedQuery(errorCodeIn(node)),
  }
  sock.ws.on('frame', onFrame)
  // Before the library, which may hang up over the same stanza.
  for (const [name, tap] of Object.entries(taps)) sock.ws.prependListener(name, tap)
  const answerRetry = createRetries({
    sock,
    contentOf: options.contentOf,
    addressOf: (chat) => options.addressOf(chat, sock),
    logger,
  })
  const answerMember = createGroupRetries({
    sock,
    contentOf: options.contentOf,
    groups: options.groups,
    senderKeys: options.senderKeys,
    logger,
  })
  const takeReceipt = async (node: BinaryNode): Promise<boolean> => {
    await events.onStanza.receipt(node)
    return (await answerMember(node)) || answerRetry(node)
  }
  takeReceiptsFirst(sock, takeReceipt, logger)
  takeOneSuccess(sock, identity.creds)
  /** The owner wrote on the phone, and the library would confirm it for no chat or for another. */
  function takeCopy(node: BinaryNode): boolean {
    if (!isOwnDevice(node.attrs.from ?? '', identity.creds) || isCopyForLibrary(node)) return false
    confirmCopy(node).catch((err: unknown) => {
      logger.debug({ err }, 'a message of the owner’s phone could not be read')
      sock.sendMessageAck(node).catch((error: unknown) => logger.debug({ err: error }, 'nor confirmed'))
    })
    return true
  }
  async function confirmCopy({ attrs, content }: BinaryNode): Promise<void> {
    const { id = '', from = '', recipient = '', t } = attrs
    for (const { tag, attrs: enc, content: ciphertext } of Array.isArray(content) ? content : []) {
      if (tag !== 'enc' || !(ciphertext instanceof Uint8Array)) continue
      const type = enc.type === 'pkmsg' ? 'pkmsg' : 'msg'
      const plaintext = await sock.signalRepository.decryptMessage({ jid: from, type, ciphertext })
      const { deviceSentMessage } = proto.Message.decode(unpadRandomMax16(plaintext))
      const key = { remoteJid: recipient, id, fromMe: true }
      read({ key, message: deviceSentMessage?.message ?? null, messageTimestamp: Number(t) || 0 })
    }
    await sock.sendNode({ tag: 'receipt', attrs: { id, to: from, recipient, type: 'sender' } })
  }
  const isTooLong = (node: BinaryNode): boolean =>
    bytesOf(node) > MOST_MESSAGE_BYTES && !isOwnDevice(authorOf(node), identity.creds)
  const isRefused = (node: BinaryNode): boolean =>
    !isOfPerson(node, identity.creds) || isTooLong(node) || isTooMany(node)
  confirmUnread(sock, { arriving, isRefused, takeCopy, logger })
  const confirmFrame = confirmUnheardOf(sock, logger)
  takePasskeyNotices(sock, events, logger)
  answerPairDevice(sock, { ...identity, browser: browserOf(identity.pairingCode), logger, onCodes: events.onCodes })
  sock.ev.on('creds.update', () => events.onCredentials())
  sock.ev.on('messages.upsert', ({ messages }) => {
    for (const message of messages) {
      if (isFromPhoneItself(message)) events.onHistory()
      else read(message)
    }
  })
  function read(message: WAMessage): void {
    phoneNumberOf(sock, message.key)
      .then((phone) => {
        if (phone === undefined) return
        if (!message.key.fromMe) events.onInbound(phone, message)
        const timer = timerIn(message)
        if (timer !== undefined) events.onTimer({ phone, ...timer })
      })
      .catch((err: unknown) => logger.warn({ err }, 'a message that came in could not be read'))
  }
  sock.ev.on('connection.update', ({ connection, lastDisconnect }) => {
    if (closed) return
    if (connection === 'open') events.onOpen()
    if (connection === 'close') {
      close()
      events.onClose(lastDisconnect?.error)
    }
  })

  const end = Promise.withResolvers<void>()
  let closed = false
  function close(): void {
    if (closed) return
    closed = true
    barrier.close()
    end.resolve()
    sock.ws.off('frame', onFrame)
    sock.ws.off('frame', confirmFrame)
    for (const [name, tap] of Object.entries(taps)) sock.ws.off(name, tap)
    for (const name of ['CB:receipt', 'CB:message', 'CB:success']) sock.ws.removeAllListeners(name)
    sock.end(undefined).catch((err: unknown) => logger.debug({ err }, 'a connection did not close cleanly'))
    // A link that is dead would keep the socket for the half minute that a polite good-bye may
    // take.
    const { socket } = sock.ws as unknown as { socket: WebSocket | null }
    socket?.terminate()
  }
  return { sock, closed: end.promise, close }
}

/**
 * The library asks once for a hundred of what waited while the number was away; WhatsApp sends no
 * more than it is asked for.
 */
const ASKED_BY_LIBRARY = 100

function askForTheRest(sock: WASocket, node: BinaryNode, logger: Logger): void {
  const left = Number(childOf(node, 'offline_preview')?.attrs.count ?? 0) - ASKED_BY_LIBRARY
  if (!(left > 0)) return
  sock
    .sendNode({ tag: 'ib', attrs: {}, content: [{ tag: 'offline_batch', attrs: { count: String(left) } }] })
    .catch((err: unknown) => logger.debug({ err }, 'WhatsApp could not be asked for what waits'))
}

const childOf = (node: BinaryNode, tag: string): BinaryNode | undefined =>
  Array.isArray(node.content) ? node.content.find((child) => child.tag === tag) : undefined

const errorCodeIn = (node: BinaryNode): string | null => childOf(node, 'error')?.attrs.code ?? null

/** `client-props` may be missing, or in an unknown form. */
function migrationIn(node: BinaryNode): boolean | undefined {
  const success = childOf(node, 'pair-success')
  const props = success && childOf(success, 'client-props')?.content
  if (!(props instanceof Uint8Array)) return undefined
  try {
    return proto.ClientPairingProps.decode(props).isChatDbLidMigrated === true
  } catch {
    return undefined
  }
}

const ownUsers = ({ me }: AuthenticationCreds) => ({ pn: jidDecode(me?.id)?.user, lid: jidDecode(me?.lid)?.user })

function isOwnPhone(jid: string, creds: AuthenticationCreds): boolean {
  const decoded = jidDecode(jid)
  const { pn, lid } = ownUsers(creds)
  return decoded !== undefined && [pn, lid].includes(decoded.user) && (decoded.device ?? 0) === 0
}

function isOwnDevice(jid: string, creds: AuthenticationCreds): boolean {
  const { pn, lid } = ownUsers(creds)
  return [pn, lid].includes(jidDecode(jid)?.user)
}

const isFromPhoneItself = ({ key, message }: WAMessage): boolean => {
  const kind = message?.protocolMessage
  return key.fromMe === true && (kind?.historySyncNotification != null || kind?.lidMigrationMappingSyncMessage != null)
}

/**
 * A message says whether its chat's messages disappear, and so does the one that changes it; when,
 * at the latest now.
 */
function timerIn({ message, messageTimestamp }: WAMessage): Omit<ChatTimer, 'phone'> | undefined {
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

/**
 * WhatsApp addresses people by number or by a hidden id (LID); everybody else in this program knows
 * only numbers.
 */
async function phoneNumberOf(sock: WASocket, key: WAMessageKey): Promise<string | undefined> {
  const jids = [key.remoteJid ?? '', key.remoteJidAlt ?? '']
  const lid = jids.find((jid) => isLidUser(jid))
  const jid = jids.find((one) => isPnUser(one)) ?? (lid && (await sock.signalRepository.lidMapping.getPNForLID(lid)))
  return jid ? jidDecode(jid)?.user : undefined
}

/**
 * The library confirms a receipt as soon as it has read it, and WhatsApp then forgets it. Ours goes
 * first, so that a crash in between costs no status.
 * @param take resolves with true where nothing is left for the library to do
 */
function takeReceiptsFirst(sock: WASocket, take: (node: BinaryNode) => Promise<boolean>, logger: Logger): void {
  const theirs = sock.ws.listeners('CB:receipt')
  sock.ws.removeAllListeners('CB:receipt')
  sock.ws.on('CB:receipt', (node: BinaryNode) => {
    take(node)
      .then((isDone) => {
        if (!isDone) for (const listener of theirs) listener(node)
      })
      .catch((err: unknown) => logger.error({ err }, 'a receipt could not be recorded; WhatsApp will repeat it'))
  })
}

/**
 * Takes one `success` in a connection, and none before a phone has linked, which WhatsApp may send
 * (whatsmeow 5f04eac6): the library would take that for a login, and show no further code. At a
 * second one it would begin again in the middle of its work, and wait for answers that never come.
 */
function takeOneSuccess(sock: WASocket, creds: AuthenticationCreds): void {
  const theirs = sock.ws.listeners('CB:success')
  sock.ws.removeAllListeners('CB:success')
  async function take(node: BinaryNode): Promise<void> {
    if (creds.account === undefined) return
    sock.ws.off('CB:success', take)
    for (const listener of theirs) await listener(node)
  }
  sock.ws.on('CB:success', take)
}

/** Author of a stanza, with the device. */
const authorOf = (node: BinaryNode | undefined): string => node?.attrs.participant ?? node?.attrs.from ?? ''

const bytesOf = ({ content }: BinaryNode): number =>
  Array.isArray(content) ? content.reduce((sum, part) => sum + (part.content?.length ?? 0), 0) : 0

interface Arrivals {
  /** The stanzas whose content is being decrypted. */
  arriving: WeakMap<Uint8Array, BinaryNode>
  isRefused(node: BinaryNode): boolean
  /** True if the library is to hear nothing of it. */
  takeCopy(node: BinaryNode): boolean
  logger: Logger
}

/**
 * Keeps the library from asking the owner's phone for a message at once: that is done later, and
 * only where it is still missing.
 */
const NOTHING_TO_ASK_FOR: BinaryNode = { tag: 'unavailable', attrs: { type: 'hosted_unavailable_fanout' } }

/**
 * True if a stanza may hold a message of a customer or of the owner's phone, in a form that the
 * library knows.
 */
function isOfPerson({ attrs, content }: BinaryNode, creds: AuthenticationCreds): boolean {
  const { from = '', recipient, participant } = attrs
  const isKnown = ({ tag, attrs: { type } }: BinaryNode) => tag !== 'enc' || type === 'msg' || type === 'pkmsg'
  if (Array.isArray(content) && !content.every(isKnown)) return false
  const isPerson = isPnUser(from) || isLidUser(from) || isHostedPnUser(from) || isHostedLidUser(from)
  if (isPerson) return recipient === undefined || isOwnDevice(from, creds)
  return isJidBroadcast(from) === true && !isJidStatusBroadcast(from) && participant !== undefined
}

/**
 * Own messages of the account: the library confirms only those of a chat by LID as WhatsApp wants
 * it: `to` as their `from`, and `recipient` as they have it. Another answer costs the connection
 * every 50 minutes (whatsapp-rust PR 659, whatsmeow receipt.go).
 */
function isCopyForLibrary({ attrs }: BinaryNode): boolean {
  const { from = '', recipient, category, peer_recipient_lid } = attrs
  if (recipient === undefined || category === 'peer' || isLidUser(recipient)) return true
  return isPnUser(from) === true && isPnUser(recipient) === true && isLidUser(peer_recipient_lid) === true
}

/**
 * Kurir has no use for what is written in a group, a status or a channel, or to a bot. The library
 * answers those that it cannot decrypt with an error, and WhatsApp then keeps everything back that
 * came after (Baileys PR 2779): they are confirmed as they are. So is what is too long, and what
 * comes from somebody of whom too much could not be read.
 */
function confirmUnread(sock: WASocket, { arriving, isRefused, takeCopy, logger }: Arrivals): void {
  const theirs = sock.ws.listeners('CB:message')
  sock.ws.removeAllListeners('CB:message')
  sock.ws.on('CB:message', (node: BinaryNode) => {
    if (isRefused(node)) {
      sock.sendMessageAck(node).catch((err: unknown) => logger.debug({ err }, 'a message could not be confirmed'))
      return
    }
    // The library refuses the whole message over one that it cannot read, and nobody here reads it.
    if (Array.isArray(node.content)) node.content = node.content.filter(({ tag }) => tag !== 'verified_name')
    for (const { content } of Array.isArray(node.content) ? node.content : []) {
      if (content instanceof Uint8Array) arriving.set(content, node)
    }
    if (takeCopy(node)) return
    for (const listener of theirs) listener(node)
  })
}

/** Stanzas that the library answers, or that want no answer. */
const HEARD_OF: ReadonlySet<string> = new Set([
  ...['message', 'receipt', 'notification', 'call', 'ack', 'iq', 'ib', 'presence', 'chatstate'],
  ...['success', 'failure', 'stream:error', 'stream:features', 'xmlstreamend'],
])

/**
 * Confirms what the library does not know, such as the `status` of July 2026: WhatsApp cuts a line
 * that leaves one without an answer every 50 minutes, and brings it again in front of all else
 * (whatsmeow a2381054, whatsapp-rust PR 1101).
 */
function confirmUnheardOf(sock: WASocket, logger: Logger): (frame: BinaryNode | Uint8Array) => void {
  const confirm = (frame: BinaryNode | Uint8Array): void => {
    if (frame instanceof Uint8Array || HEARD_OF.has(frame.tag)) return
    const { id, from } = frame.attrs
    if (id === undefined || from === undefined) return
    sock.sendMessageAck(frame).catch((err: unknown) => logger.debug({ err }, 'a stanza could not be confirmed'))
  }
  sock.ws.on('frame', confirm)
  return confirm
}

/**
 * A customer's message as the library will give it later; undefined where it is none, or cannot be
 * read.
 */
function messageIn(node: BinaryNode | undefined, padded: Uint8Array): WAMessage | undefined {
  const { from, id, t, sender_pn, sender_lid } = node?.attrs ?? {}
  if (from === undefined || id === undefined || !(isPnUser(from) || isLidUser(from))) return undefined
  try {
    const message = proto.Message.decode(unpadRandomMax16(padded))
    const alt = sender_pn ?? sender_lid
    const key = { remoteJid: from, id, fromMe: false, ...(alt === undefined ? {} : { remoteJidAlt: alt }) }
    return { key, message, messageTimestamp: Number(t) || 0 }
  } catch {
    return undefined
  }
}
