import type { Agent } from 'node:https'
import makeWASocket, {
  type AuthenticationCreds,
  type BinaryNode,
  Browsers,
  DEFAULT_CONNECTION_CONFIG,
  isLidUser,
  isPnUser,
  jidDecode,
  type proto,
  type SignalKeyStore,
  type UserFacingSocketConfig,
  type WAMessage,
  type WAMessageKey,
  type WASocket,
  type WAVersion,
} from 'baileys'
import type { WebSocket } from 'ws'
import type { Logger } from '../../lib/logger.ts'
import type { DeviceCache } from './device-cache.ts'
import { createLibraryLogger } from './library-logger.ts'
import { savingSessionsAtOnce } from './signal-repository.ts'

/** Versions of WhatsApp's protocol in the order they are tried: the library's own first, then others that were in use. */
export const VERSIONS: readonly [WAVersion, ...WAVersion[]] = [
  DEFAULT_CONNECTION_CONFIG.version,
  [2, 3000, 1035194821],
  [2, 3000, 1027934701],
]

export interface SocketOptions {
  /** Default: WhatsApp's. */
  url?: string
  /** How long WhatsApp may take to answer a question, in milliseconds. */
  queryTimeout: number
  /** How long each QR code lives; default: the first a minute, the others 20 s. */
  qrTimeout?: number
  /** Trusts the host of media. */
  mediaAgent?: Agent
  devices: DeviceCache
  contentOf: (providerMessageId: string) => Promise<proto.IMessage | undefined>
  logger: Logger
}

export interface Identity {
  creds: AuthenticationCreds
  keys: SignalKeyStore
  version: WAVersion
  /** A code is to be typed in on the phone. */
  pairingCode: boolean
}

export interface SocketEvents {
  onQr(qr: string): void
  onOpen(): void
  /** Credentials changed; `creds` holds the change already. */
  onCredentials(): void
  /** Called once, and not after `close`. */
  onClose(code: number | undefined): void
  /** Anything at all came from the other side. */
  onHeard(): void
  onStanza: {
    ack(node: BinaryNode): void
    /** The receipt is confirmed once this resolves; otherwise WhatsApp keeps it for the next time. */
    receipt(node: BinaryNode): Promise<unknown>
  }
  /** Somebody wrote to this number. */
  onInbound(from: string, message: WAMessage): void
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

/** Opens one connection to WhatsApp. It never comes back by itself. */
export function openConnection(options: SocketOptions, identity: Identity, events: SocketEvents): Connection {
  const { creds, keys, version } = identity
  const config: UserFacingSocketConfig = {
    auth: { creds, keys },
    version,
    // WhatsApp takes pairing codes only from names of systems that it knows.
    browser: identity.pairingCode ? Browsers.macOS('Chrome') : ['Kurir', 'Chrome', '1.0'],
    logger: createLibraryLogger(options.logger),
    // Being online would silence the notifications of the owner's phone.
    markOnlineOnConnect: false,
    syncFullHistory: false,
    shouldSyncHistoryMessage: () => false,
    defaultQueryTimeoutMs: options.queryTimeout,
    // A commit that fails has little hope to succeed later, and the whole lane would wait for it.
    transactionOpts: { maxCommitRetries: 2, delayBetweenTriesMs: 200 },
    makeSignalRepository: savingSessionsAtOnce(keys),
    userDevicesCache: options.devices.store,
    getMessage: ({ id }) => options.contentOf(id ?? ''),
  }
  if (options.url !== undefined) config.waWebSocketUrl = options.url
  if (options.qrTimeout !== undefined) config.qrTimeout = options.qrTimeout
  if (options.mediaAgent !== undefined) config.fetchAgent = options.mediaAgent
  const sock = makeWASocket(config)

  const onHeard = (): void => events.onHeard()
  sock.ws.on('frame', onHeard)
  sock.ws.on('CB:ack,class:message', events.onStanza.ack)
  takeReceiptsFirst(sock, events.onStanza.receipt, options.logger)
  sock.ev.on('creds.update', () => events.onCredentials())
  sock.ev.on('messages.upsert', ({ messages }) => {
    for (const message of messages) {
      if (message.key.fromMe) continue
      phoneNumberOf(sock, message.key).then(
        (number) => number !== undefined && events.onInbound(number, message),
        (err: unknown) => options.logger.warn({ err }, 'the number of a contact could not be found'),
      )
    }
  })
  sock.ev.on('connection.update', ({ connection, qr, lastDisconnect }) => {
    if (closed) return
    if (qr !== undefined) events.onQr(qr)
    if (connection === 'open') events.onOpen()
    if (connection === 'close') {
      close()
      events.onClose(codeOf(lastDisconnect?.error))
    }
  })

  const end = Promise.withResolvers<void>()
  let closed = false
  function close(): void {
    if (closed) return
    closed = true
    end.resolve()
    sock.ws.off('frame', onHeard)
    sock.ws.removeAllListeners('CB:ack,class:message')
    sock.ws.removeAllListeners('CB:receipt')
    sock.end(undefined).catch((err: unknown) => options.logger.debug({ err }, 'a connection did not close cleanly'))
    // A link that is dead would keep the socket for the half minute that a polite good-bye may take.
    const { socket } = sock.ws as unknown as { socket: WebSocket | null }
    socket?.terminate()
  }
  return { sock, closed: end.promise, close }
}

/** WhatsApp addresses people by number or by a hidden id (LID); everybody else in this program knows only numbers. */
async function phoneNumberOf(sock: WASocket, key: WAMessageKey): Promise<string | undefined> {
  const jids = [key.remoteJid ?? '', key.remoteJidAlt ?? '']
  const lid = jids.find((jid) => isLidUser(jid))
  const jid = jids.find((one) => isPnUser(one)) ?? (lid && (await sock.signalRepository.lidMapping.getPNForLID(lid)))
  return jid ? jidDecode(jid)?.user : undefined
}

/**
 * The library confirms a receipt as soon as it has read it, and WhatsApp then forgets it. Ours goes first, so that a crash
 * in between costs no status.
 */
function takeReceiptsFirst(sock: WASocket, take: (node: BinaryNode) => Promise<unknown>, logger: Logger): void {
  const theirs = sock.ws.listeners('CB:receipt')
  sock.ws.removeAllListeners('CB:receipt')
  sock.ws.on('CB:receipt', (node: BinaryNode) => {
    take(node).then(
      () => {
        for (const listener of theirs) listener(node)
      },
      (err: unknown) => logger.error({ err }, 'a receipt could not be recorded; WhatsApp will repeat it'),
    )
  })
}
