import {
  type AuthenticationState,
  BufferJSON,
  type ConnectionState,
  initAuthCreds,
  makeWASocket,
  type SignalDataTypeMap,
  type UserFacingSocketConfig,
  WA_CERT_DETAILS,
} from 'baileys'
import type { WhatsAppPeer } from './whatsapp-peer/index.ts'

const silent = {
  level: 'silent',
  child: () => silent,
  trace() {},
  debug() {},
  info() {},
  warn() {},
  error() {},
}

/** Credentials and keys in memory, copied on each read and write as a store on disk would. */
export function memoryAuth(): AuthenticationState {
  const rows = new Map<string, string>()
  return {
    creds: initAuthCreds(),
    keys: {
      get<T extends keyof SignalDataTypeMap>(type: T, ids: string[]) {
        const found: Record<string, SignalDataTypeMap[T]> = {}
        for (const id of ids) {
          const row = rows.get(`${type} ${id}`)
          if (row !== undefined) found[id] = JSON.parse(row, BufferJSON.reviver)
        }
        return found
      },
      set(data) {
        for (const [type, values] of Object.entries(data)) {
          for (const [id, value] of Object.entries(values)) {
            if (value === null) rows.delete(`${type} ${id}`)
            else rows.set(`${type} ${id}`, JSON.stringify(value, BufferJSON.replacer))
          }
        }
      },
    },
  }
}

/**
 * Connects a plain Baileys client to the peer, with promises for the events that tests wait for.
 */
export function connect(
  peer: Pick<WhatsAppPeer, 'url' | 'rootKeyHex' | 'mediaAgent'>,
  auth: AuthenticationState = memoryAuth(),
  config: Partial<UserFacingSocketConfig> = {},
) {
  WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(peer.rootKeyHex, 'hex')
  const socket = makeWASocket({
    auth,
    waWebSocketUrl: peer.url,
    logger: silent,
    fetchAgent: peer.mediaAgent,
    // With own events, the library merges a quick receipt into the event for the sent message and
    // emits no update.
    emitOwnEvents: false,
    markOnlineOnConnect: false,
    syncFullHistory: false,
    shouldSyncHistoryMessage: () => false,
    defaultQueryTimeoutMs: 5_000,
    ...config,
  })
  const open = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<{ code: number | undefined; data: unknown }>()
  const qrCodes: string[] = []
  let qrWaiting = Promise.withResolvers<void>()
  socket.ev.on('creds.update', (update) => Object.assign(auth.creds, update))
  socket.ev.on('connection.update', ({ connection, qr, lastDisconnect }: Partial<ConnectionState>) => {
    if (qr) {
      qrCodes.push(qr)
      qrWaiting.resolve()
      qrWaiting = Promise.withResolvers()
    }
    if (connection === 'open') open.resolve()
    if (connection === 'close') {
      const boom = lastDisconnect?.error as { output?: { statusCode: number }; data?: unknown } | undefined
      closed.resolve({ code: boom?.output?.statusCode, data: boom?.data })
    }
  })
  return {
    socket,
    auth,
    open: open.promise,
    closed: closed.promise,
    async qr(index = 0): Promise<string> {
      for (;;) {
        const shown = qrCodes[index]
        if (shown) return shown
        await qrWaiting.promise
      }
    },
    /** Resolves with the error of a message's acknowledgement, if any. Call it before sending. */
    acknowledged: (id: string) =>
      new Promise<string | undefined>((resolve) => {
        socket.ws.on(`TAG:${id}`, (node) => {
          if (node.tag === 'ack') resolve(node.attrs.error)
        })
      }),
  }
}
export type Client = ReturnType<typeof connect>
