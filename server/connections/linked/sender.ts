import type { Agent } from 'node:https'
import type { LinkRequest, SenderState } from '../../contract/senders.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Vault } from '../../lib/vault.ts'
import type { Channel } from '../../messages/channel.ts'
import type { Message } from '../../store/rows.ts'
import { createAuthState, type SessionStore } from './auth-state.ts'
import { partsOf, twinId } from './content.ts'
import { createDeviceCache } from './device-cache.ts'
import { createFlights, outcomeOfAck } from './flights.ts'
import { quietLibsignal } from './libsignal-quiet.ts'
import { type ContactBook, createLookup } from './lookup.ts'
import { type ReceiptReport, readReceipt } from './receipts.ts'
import { type ContentStore, createSend } from './send.ts'
import { createSession, type SessionChange, type SessionView } from './session.ts'
import { enforceSignatures } from './signatures.ts'
import type { SocketOptions } from './socket.ts'

export type { Linking } from './codes.ts'
export type { ReceiptReport } from './receipts.ts'
export type { SessionChange, SessionView } from './session.ts'

export interface LinkedSenderDeps {
  senderId: number
  /** The number that was linked last; contacts of another are forgotten. */
  phone?: string | null
  /** State and reason as the last run left them. */
  initial?: { state: SenderState; reason: string | null }
  sessions: SessionStore
  vault: Vault
  contacts: ContactBook
  /** What was sent, for recipients who ask again. */
  messages: { find(ref: { providerMessageId: string; senderId: number }): Message | undefined } & ContentStore
  config: { whatsappUrl?: string | undefined; rootKeyHex?: string | undefined }
  clock: Clock
  random: () => number
  logger: Logger
  onState(change: SessionChange): void
  /** Resolves when it is on disk: WhatsApp forgets the receipt then. */
  onStatus(report: ReceiptReport): Promise<unknown>
  wakeLane(): void
  /** Trusts the host of media; for tests. */
  mediaAgent?: Agent
  /** Milliseconds. Defaults: 20 s for an acknowledgement or a connection, 15 s for a query, WhatsApp's own for a QR code. */
  timeouts?: { ack?: number; query?: number; connection?: number; qr?: number }
}

export interface LinkedSender {
  channel: Channel
  start(): void
  /** Resolves when the attempt has begun; the code is told by `onState`. */
  link(request: LinkRequest): Promise<void>
  unlink(): Promise<void>
  resume(): void
  suspend(): void
  view(): SessionView
  stop(): Promise<void>
}

/** A number that is linked by QR or pairing code: everything that Kurir knows of it and does with it. */
export function createLinkedSender(deps: LinkedSenderDeps): LinkedSender {
  const { senderId, clock, logger, messages, contacts, timeouts = {} } = deps
  enforceSignatures(deps.config.rootKeyHex)
  quietLibsignal()

  const queryTimeoutMs = timeouts.query ?? 15_000
  const devices = createDeviceCache(clock)
  const lookup = createLookup({ senderId, contacts, clock })
  const flights = createFlights({ clock, timeoutMs: timeouts.ack ?? 20_000, onSilence: () => session.renew() })
  let phone = deps.phone ?? null

  /** A recipient could not read a message and asks for it again, perhaps days later. */
  function contentOf(providerMessageId: string) {
    for (const id of [providerMessageId, twinId(providerMessageId)]) {
      const message = messages.find({ providerMessageId: id, senderId })
      const parts = message === undefined ? [] : partsOf(message, id, messages.content(message.seq))
      const part = parts.find((one) => one.id === providerMessageId)
      if (part !== undefined) return part.content
    }
    return undefined
  }

  function onAck(id: string, error: string | undefined): void {
    if (flights.land(id, outcomeOfAck(error)) || error !== undefined) return
    // Later than anybody waited, but it is the proof.
    background(deps.onStatus({ providerMessageId: id, status: 'sent', at: clock.now() }))
  }

  function background(work: Promise<unknown>): void {
    work.catch((err: unknown) => logger.error({ err, sender: senderId }, 'could not record what WhatsApp reported'))
  }

  const socket: SocketOptions = { queryTimeoutMs, devices, contentOf, logger }
  if (deps.config.whatsappUrl !== undefined) socket.url = deps.config.whatsappUrl
  if (timeouts.qr !== undefined) socket.qrTimeoutMs = timeouts.qr
  if (deps.mediaAgent !== undefined) socket.mediaAgent = deps.mediaAgent

  const session = createSession({
    initial: deps.initial ?? { state: 'unlinked', reason: null },
    auth: createAuthState({ senderId, sessions: deps.sessions, vault: deps.vault, clock, logger }),
    socket,
    clock,
    random: deps.random,
    logger,
    ...(timeouts.connection === undefined ? {} : { unansweredMs: timeouts.connection }),
    onState(change) {
      deps.onState(change)
      deps.wakeLane()
    },
    onUp(number) {
      // What one account knows of its contacts says nothing about another's.
      if (phone !== null && phone !== number) background(contacts.forget(senderId))
      phone = number
    },
    onDown: () => flights.lose('the connection was lost'),
    events: {
      onHeard: flights.heard,
      onStanza: {
        ack: ({ attrs }) => onAck(attrs.id ?? '', attrs.error),
        receipt: (node) => Promise.all(readReceipt(node, clock.now()).map(deps.onStatus)),
      },
      onInbound(number) {
        if (!lookup.isKnown(number)) background(contacts.markKnown(senderId, number))
      },
    },
  })

  return {
    channel: createSend({
      live: session.live,
      renew: session.renew,
      lookup,
      devices,
      flights,
      contents: messages,
      markKnown: (number) => background(contacts.markKnown(senderId, number)),
      clock,
      queryTimeoutMs,
    }),
    start: session.start,
    link: async (request) => session.link(request),
    unlink: session.unlink,
    resume: session.resume,
    suspend: session.suspend,
    view: session.view,
    stop: async () => session.stop(),
  }
}
