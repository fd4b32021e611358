import { type AuthenticationCreds, type BinaryNode, isLidUser, proto, type WAMessage, type WASocket } from 'baileys'
import type { WebSocket } from 'ws'
import { phoneNumberOf } from '../account/addressing.ts'
import { makeSocket, takeOver } from '../library/library-socket.ts'
import { childOf } from '../library/stanzas.ts'
import { createWriteBarrier, holdFrames } from '../library/write-barrier.ts'
import { type PasskeyEvents, takePasskeyNotices } from '../passkey/passkey.ts'
import { createArrivals } from '../receiving/arrivals.ts'
import { type ChatTimer, timerIn } from '../receiving/recording.ts'
import {
  askForTheRest,
  confirmUnheardOf,
  takeCalls,
  takeChangesOfGroups,
  takeNotifications,
  takeReceiptsFirst,
} from '../receiving/taken-over.ts'
import { createRetries } from '../sending/retries.ts'
import { answerPairDevice } from './codes.ts'
import { browserOf, configOf, type Identity, type SocketOptions } from './socket-config.ts'

/** Reports of an open connection: about the account, its messages and its customers. */
export interface LineEvents {
  /** Called whenever anything at all arrives from the server. */
  onFrame(): void
  onStanza: {
    ack(node: BinaryNode): void
    /**
     * The receipt is confirmed once this resolves. If this rejects, WhatsApp repeats the receipt on
     * the next connection.
     */
    receipt(node: BinaryNode): Promise<unknown>
    notification(node: BinaryNode): void
    /** Called with the server's announcements about the connection itself. */
    info(node: BinaryNode): void
  }
  /** Called with a message to this number. WhatsApp keeps the message until this resolves. */
  onWritten(from: string, message: WAMessage): Promise<void>
  /** Called when the library has read a message to this number, perhaps for the second time. */
  onInbound(from: string, message: WAMessage): void
  onTimer(phone: string, timer: ChatTimer): void
  /** Called when the phone has sent a part of its history, or that it moved to LIDs. */
  onHistory(): void
}

export interface LinkingEvents extends PasskeyEvents {
  /**
   * Called with the QR codes that WhatsApp gives this connection, to be shown one after the other.
   */
  onCodes(codes: string[]): void
  /**
   * Called when WhatsApp has linked a phone. `migrated`: true if its account addresses people by
   * LID; undefined: WhatsApp does not say.
   */
  onPairSuccess(migrated: boolean | undefined): void
}

export interface SocketEvents extends LineEvents, LinkingEvents {
  onOpen(): void
  /** Credentials changed; `creds` holds the change already. */
  onCredentials(): void
  /** Called once, and not after `close`. */
  onClose(error: unknown): void
}

export interface Connection {
  sock: WASocket
  /** Resolves when either side has hung up. */
  closed: Promise<void>
  /** Hangs up without calling `onClose`. */
  close(): void
}

/** Opens one connection to WhatsApp, which never reconnects by itself. */
export function openConnection(options: SocketOptions, identity: Identity, events: SocketEvents): Connection {
  const { logger } = options
  const { creds } = identity
  const end = Promise.withResolvers<void>()
  let closed = false

  function close(): void {
    if (closed) return
    closed = true
    barrier.close()
    end.resolve()
    sock.ws.off('frame', onFrame)
    for (const [name, tap] of taps) sock.ws.off(name, tap)
    for (const name of ['CB:receipt', 'CB:message', 'CB:success']) sock.ws.removeAllListeners(name)
    sock.end(undefined).catch((err: unknown) => logger.debug({ err }, 'a connection did not close cleanly'))
    // The library has stopped listening, and its open questions would wait for their timeout.
    sock.ws.emit('error')
    terminate(sock)
  }
  function fail(error: unknown): void {
    if (closed) return
    close()
    events.onClose(error)
  }
  const onLost = () => fail(new Error('a step of a session could not be read or stored'))

  function read(message: WAMessage): void {
    readMessage(sock, events, message).catch((err: unknown) =>
      logger.warn({ err }, 'a message that came in could not be read'),
    )
  }

  const barrier = createWriteBarrier(onLost)
  const sockOf = () => sock
  const arrivals = createArrivals({
    sockOf,
    creds,
    unreadable: options.unreadable,
    isClosed: () => closed,
    async onWritten(from, message) {
      await events.onWritten(from, message)
      readTimer(events, from, message)
    },
    onCopy: read,
    logger,
  })
  const sock: WASocket = makeSocket(configOf(options, identity, { sockOf, arrivals, hold: barrier.hold, onLost }), fail)
  holdFrames(sock, barrier)

  function onFrame(frame: BinaryNode | Uint8Array): void {
    events.onFrame()
    confirmUnheardOf(sock, frame, logger)
  }
  sock.ws.on('frame', onFrame)
  const taps: [name: string, tap: (node: BinaryNode) => void][] = [
    ['CB:ack,class:message', events.onStanza.ack],
    ['CB:notification', events.onStanza.notification],
    ['CB:ib', events.onStanza.info],
    ['CB:ib', (node) => askForTheRest(sock, node, logger)],
    ['CB:iq,,pair-success', (node) => events.onPairSuccess(migrationIn(node))],
  ]
  takeNotifications(sock, logger)
  takeChangesOfGroups(sock, logger)
  takeCalls(sock, logger)
  // Before the library's own listeners, which may hang up at the same stanza.
  for (const [name, tap] of taps) sock.ws.prependListener(name, tap)
  takeReceipts(sock, options, events)
  takeOneSuccess(sock, creds)
  arrivals.listen(sock)
  takePasskeyNotices(sock, events, logger)
  answerPairDevice(sock, creds, browserOf(identity.pairingCode), logger, events.onCodes)
  sock.ev.on('creds.update', () => events.onCredentials())
  sock.ev.on('messages.upsert', ({ messages }) => {
    for (const message of messages) {
      if (isFromPhoneItself(message)) events.onHistory()
      else read(message)
    }
  })
  sock.ev.on('connection.update', ({ connection, lastDisconnect }) => {
    if (closed) return
    if (connection === 'open') events.onOpen()
    if (connection === 'close') fail(lastDisconnect?.error)
  })
  return { sock, closed: end.promise, close }
}

/**
 * Destroys the socket at once. A polite close may keep the socket of a dead connection for half a
 * minute.
 */
export function terminate(sock: WASocket): void {
  const { socket } = sock.ws as unknown as { socket: WebSocket | null }
  socket?.terminate()
}

/** Records receipts and answers requests for messages before the library sees them. */
function takeReceipts(sock: WASocket, options: SocketOptions, events: LineEvents): void {
  const { contentOf, groups, logger } = options
  const addressOf = (chat: string) => options.addressOf(chat, sock)
  const answerRetry = createRetries(sock, { contentOf, addressOf, groups, logger })
  async function take(node: BinaryNode): Promise<boolean> {
    await events.onStanza.receipt(node)
    return answerRetry(node)
  }
  takeReceiptsFirst(sock, take, logger)
}

/**
 * Passes on one `success` per connection, and none before a phone has linked, which WhatsApp may
 * send (whatsmeow 5f04eac6): the library would take that for a login and show no further code. At a
 * second one, the library would start over in the middle of its work and wait for answers that
 * never come.
 */
function takeOneSuccess(sock: WASocket, creds: AuthenticationCreds): void {
  let isTaken = false
  takeOver<BinaryNode>(sock, 'CB:success', (node, theirs) => {
    if (isTaken || creds.account === undefined) return undefined
    isTaken = true
    // The library would accept any `lid` as its own, and could then write to nobody.
    const lid = isLidUser(node.attrs.lid) ? node.attrs.lid : creds.me?.lid
    return theirs({ ...node, attrs: { ...node.attrs, ...(lid === undefined ? {} : { lid }) } })
  })
}

/**
 * True if the account addresses people by LID; undefined: `client-props` is missing or in an
 * unknown form.
 */
function migrationIn(node: BinaryNode): boolean | undefined {
  const props = childOf(childOf(node, 'pair-success'), 'client-props')?.content
  if (!(props instanceof Uint8Array)) return undefined
  try {
    return proto.ClientPairingProps.decode(props).isChatDbLidMigrated === true
  } catch {
    return undefined
  }
}

const isFromPhoneItself = ({ key, message }: WAMessage): boolean => {
  const kind = message?.protocolMessage
  return key.fromMe === true && (kind?.historySyncNotification != null || kind?.lidMigrationMappingSyncMessage != null)
}

async function readMessage(sock: WASocket, events: LineEvents, message: WAMessage): Promise<void> {
  const phone = await phoneNumberOf(sock, message.key)
  if (phone === undefined) return
  if (!message.key.fromMe) events.onInbound(phone, message)
  readTimer(events, phone, message)
}

function readTimer(events: LineEvents, phone: string, message: WAMessage): void {
  const timer = timerIn(message)
  if (timer !== undefined) events.onTimer(phone, timer)
}
