import type { Agent } from 'node:https'
import type { WAMessage } from 'baileys'
import type { ConnectionState } from '../../contract/senders.ts'
import { type Clock, isoTimeOrNull } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { SECOND } from '../../lib/time.ts'
import type { Vault } from '../../lib/vault.ts'
import type { SenderConnection } from '../../senders/connection.ts'
import type { CustomersPort } from '../../senders/customers.ts'
import type { ContactStore, Message, SessionStore } from '../../store/index.ts'
import { createAuthState } from './auth-state.ts'
import { type ContentStore, createLinkedChannel } from './channel.ts'
import { partsOf, twinId } from './content.ts'
import { createDeviceCache } from './device-cache.ts'
import { createFlights, outcomeOfAck } from './flights.ts'
import { quietLibsignal } from './libsignal-quiet.ts'
import { createLookup } from './lookup.ts'
import { type ReceiptReport, readReceipt } from './receipts.ts'
import { readReceived } from './received.ts'
import { createSession, type SessionChange, type SessionControls } from './session.ts'
import { enforceSignatures } from './signatures.ts'
import type { SocketOptions } from './socket.ts'

export interface LinkedConnectionDeps {
  senderId: number
  /** The number that was linked last; contacts of another are forgotten. */
  phone?: string | null
  /** State and reason as the last run left them. */
  initial?: { state: ConnectionState; reason: string | null }
  sessions: SessionStore
  vault: Vault
  contacts: ContactStore
  /** What was sent, for recipients who ask again. */
  messages: {
    find(ref: { providerMessageId: string; senderId: number }): Promise<Message | undefined>
  } & ContentStore
  config: { whatsappUrl?: string | undefined; rootKeyHex?: string | undefined }
  clock: Clock
  random: () => number
  logger: Logger
  onState(change: SessionChange): void
  /** Resolves when it is on disk: WhatsApp forgets the receipt then. */
  onStatus(report: ReceiptReport): Promise<unknown>
  /** A customer wrote. */
  onReceived: CustomersPort['received']
  wakeLane(): void
  /** Trusts the host of media; for tests. */
  mediaAgent?: Agent
  /** Milliseconds. Defaults: 20 s for an acknowledgement or a connection, 15 s for a query, WhatsApp's own for a QR code. */
  timeouts?: { ack?: number; query?: number; connection?: number; qr?: number }
}

export interface LinkedConnection extends SenderConnection, SessionControls {}

/** A number that is linked by QR or pairing code: everything that Kurir knows of it and does with it. */
export function createLinkedConnection(deps: LinkedConnectionDeps): LinkedConnection {
  const { senderId, clock, logger, messages, contacts, timeouts = {} } = deps
  enforceSignatures(deps.config.rootKeyHex)
  quietLibsignal()

  const queryTimeout = timeouts.query ?? 15 * SECOND
  const devices = createDeviceCache(clock)
  const lookup = createLookup({ senderId, contacts, clock })
  const flights = createFlights({ clock, timeout: timeouts.ack ?? 20 * SECOND, onSilence: () => session.renew() })
  let phone = deps.phone ?? null

  /** A recipient could not read a message and asks for it again, perhaps days later. */
  async function contentOf(providerMessageId: string) {
    for (const id of [providerMessageId, twinId(providerMessageId)]) {
      const message = await messages.find({ providerMessageId: id, senderId })
      const parts = message === undefined ? [] : partsOf(message, id, await messages.content(message.seq))
      const part = parts.find((one) => one.id === providerMessageId)
      if (part !== undefined) return part.content
    }
    return undefined
  }

  function onAck(id: string, error: string | undefined): void {
    if (flights.land(id, outcomeOfAck(error)) || error !== undefined) return
    // Later than it was waited for, but it is the proof.
    background(deps.onStatus({ providerMessageId: id, status: 'sent', at: clock.now() }))
  }

  async function noteInbound(number: string, message: WAMessage): Promise<void> {
    if (!(await lookup.isKnown(number))) await contacts.markKnown(senderId, number)
    const received = readReceived(message)
    if (received !== null) await deps.onReceived({ ...received, senderId, from: number, fromUserId: null })
  }

  function background(work: Promise<unknown>): void {
    work.catch((err: unknown) => logger.error({ err, sender: senderId }, 'could not record what WhatsApp reported'))
  }

  const socket: SocketOptions = { queryTimeout, devices, contentOf, logger }
  if (deps.config.whatsappUrl !== undefined) socket.url = deps.config.whatsappUrl
  if (timeouts.qr !== undefined) socket.qrTimeout = timeouts.qr
  if (deps.mediaAgent !== undefined) socket.mediaAgent = deps.mediaAgent

  const session = createSession({
    initial: deps.initial ?? { state: 'unlinked', reason: null },
    auth: createAuthState({ senderId, sessions: deps.sessions, vault: deps.vault, clock, logger }),
    socket,
    clock,
    random: deps.random,
    logger,
    ...(timeouts.connection === undefined ? {} : { unansweredAfter: timeouts.connection }),
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
      onInbound: (number, message) => background(noteInbound(number, message)),
    },
  })

  return {
    ...session.controls,
    channel: createLinkedChannel({
      live: session.live,
      renew: session.renew,
      lookup,
      devices,
      flights,
      contents: messages,
      clock,
      queryTimeout,
    }),
    linking() {
      const { linking } = session.view()
      return linking && { ...linking, expires_at: isoTimeOrNull(linking.expires_at) }
    },
  }
}
