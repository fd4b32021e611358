import './library/before.ts'
import type { BinaryNode, WASocket } from 'baileys'
import type { Dispatcher } from 'undici'
import type { FirstContacts } from '../../contract/senders.ts'
import { type Clock, SECOND } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { untilDone } from '../../lib/sleep.ts'
import { StorageError } from '../../lib/storage-error.ts'
import { inPortions } from '../../lib/turns.ts'
import type { Vault } from '../../lib/vault.ts'
import type { Recorder } from '../../messages/record.ts'
import type { CustomersPort } from '../../senders/customers.ts'
import type { SenderConnection } from '../../senders/ports.ts'
import type { Store } from '../../store/index.ts'
import { createAccount } from './account/account-facts.ts'
import type { LinkedContext } from './account/context.ts'
import { createDeviceCache, usersChangedBy } from './account/devices.ts'
import { createFirstContactHolds } from './account/first-contacts.ts'
import { createLookUps } from './account/look-ups.ts'
import { createTrust } from './account/trust.ts'
import { createGroups } from './groups/groups.ts'
import { createAuthState } from './keys/auth-state.ts'
import { createSignedPreKey } from './keys/signed-pre-key.ts'
import { RECEIPT_PORTION } from './library/bounds.ts'
import { enforceSignatures, limitSkippedKeys, quietLibsignal } from './library/corrections.ts'
import { ownUsers } from './library/stanzas.ts'
import type { VersionsInUse } from './library/versions.ts'
import { createUnreadable } from './receiving/arrivals.ts'
import { createHistoryReader } from './receiving/history-reader.ts'
import { AGAIN_AFTER, createRecording, type ReceiptReport, readReceipt } from './receiving/recording.ts'
import { createSaltSync, isOfSalt } from './receiving/salt-sync.ts'
import { createLinkedChannel } from './sending/channel.ts'
import { contentAgain } from './sending/content.ts'
import type { SendingContext } from './sending/context.ts'
import { ARRIVED, createFlights } from './sending/flights.ts'
import { acknowledgementIn, addressOfChat } from './sending/relay.ts'
import type { SessionContext } from './session/dial.ts'
import { createFormerIdentities } from './session/identities.ts'
import { createDeafLine } from './session/reconnect.ts'
import { createSession, type SessionChange } from './session/session.ts'
import type { LastRun } from './session/session-state.ts'
import type { SocketOptions } from './session/socket-config.ts'

export { createVersionsInUse } from './library/versions.ts'

/** Everything that a linked number gets from the rest of the program, and what it reports. */
export interface LinkedConnectionDeps {
  senderId: number
  /** The number that was linked last; contacts of another are forgotten. */
  phone: string | null
  /** As the last run left it. */
  initial: LastRun
  /** True if another program of ours may connect with this number. */
  mayBeReplaced: boolean
  /** How often in a row a connection of this number brought nothing, before this one was made. */
  deafBefore: number
  /** True if waiting messages may leave through this number, as far as that is written down. */
  isRecorded(phone: string): boolean
  store: Store
  record: Recorder
  vault: Vault
  /** WhatsApp's address and key; undefined: as the library says. */
  whatsapp: { url: string | undefined; rootKeyHex: string | undefined }
  clock: Clock
  /** Now, or, shortly after a start, when Kurir was last open. */
  endTime(): number
  random(): number
  logger: Logger
  /** Connects to WhatsApp's hosts for files, and guards it. */
  mediaDispatcher: Dispatcher
  /**
   * Milliseconds. Defaults: 20 s for an acknowledgement or a connection, 15 s for a query,
   * WhatsApp's own for a QR code.
   */
  timeouts?: { ack?: number; query?: number; connection?: number; qr?: number } | undefined
  onState(change: SessionChange): void
  /** A code is shown, another one takes its place, or there is none any more. */
  onLinking(): void
  /** First contacts are held, or `isFreed`, or more is known of the cap on new chats. */
  onFirstContacts(facts: FirstContacts, isFreed: boolean): void
  /** A look-up takes the place of a send. Resolves when that is on disk. */
  onLookUp(): Promise<void>
  /** Resolves when it is on disk: WhatsApp forgets the receipt then. */
  onStatus(report: ReceiptReport): Promise<unknown>
  /** A customer wrote. */
  onReceived: CustomersPort['received']
  wakeLane(): void
  /** A new connection brings nothing either: everything that this one knows is to be made again. */
  onDeaf(times: number): void
}

export interface LinkedConnection extends SenderConnection {
  /** At the start of the program, as soon as what is stored can be read. */
  start(): void
}

/**
 * A number that is linked by QR or pairing code: everything that Kurir knows of it and does with
 * it.
 */
export function createLinkedConnection(deps: LinkedConnectionDeps, versions: VersionsInUse): LinkedConnection {
  const { senderId, store, clock, logger, timeouts = {} } = deps
  enforceSignatures(deps.whatsapp.rootKeyHex)
  quietLibsignal()
  limitSkippedKeys()

  const stopping = new AbortController()
  const live = (): WASocket | undefined => session.live()
  const account = createAccount(senderId, store, logger)
  const auth = createAuthState(senderId, store.sessions, deps.vault, clock, logger)
  const context: LinkedContext = {
    senderId,
    store,
    record: deps.record,
    account,
    auth,
    live,
    dispatcher: deps.mediaDispatcher,
    stopping: stopping.signal,
    clock,
    logger,
  }
  const lookUps = createLookUps(clock)
  const sending: SendingContext = {
    ...context,
    // Messages wait until it is written which number is linked.
    live: () => (deps.isRecorded(phone ?? '') ? live() : undefined),
    lookUps,
    holds: createFirstContactHolds(context, deps.onFirstContacts),
    trust: createTrust(context),
    devices: createDeviceCache(clock),
    groups: createGroups(context, lookUps),
    flights: createFlights(clock, timeouts.ack ?? 20 * SECOND, () => session.renew()),
    queryTimeout: timeouts.query ?? 15 * SECOND,
    onLookUp: deps.onLookUp,
    onAcknowledged: () => session.proven(),
    renew: () => session.renew(),
  }
  const { holds, trust, devices, groups, flights } = sending
  const history = createHistoryReader(context, trust, holds.onChats)
  const saltSync = createSaltSync(context, trust)
  const recording = createRecording(context, deps.onReceived)
  const { insisting, background } = recording
  const deafLine = createDeafLine(clock, deps.deafBefore, (times) => {
    logger.warn({ sender: senderId }, 'a connection to WhatsApp brings nothing any more')
    // First it is made again, then everything that is known of it.
    if (times % 2 === 0) deps.onDeaf(times)
    else session.renew()
  })
  let { phone } = deps

  function onAck(node: BinaryNode): void {
    const id = node.attrs.id ?? ''
    const landing = acknowledgementIn(node)
    if (landing.error === undefined) deafLine.acknowledged()
    // An error after a good acknowledgement of the same id takes nothing back.
    if (flights.land(id, landing) || landing.error !== undefined) return
    // Later than it was waited for, but it is the proof.
    const at = clock.now()
    background(insisting(() => deps.onStatus({ providerMessageId: id, status: 'sent', at })))
  }

  function onNotification(node: BinaryNode): void {
    holds.onNotification(node)
    if (isOfSalt(node)) saltSync.start()
    const users = usersChangedBy(node)
    groups.onNotification(node, users)
    if (users === 'all') devices.store.flushAll()
    else for (const user of users ?? []) devices.store.del(user)
  }

  async function onReceipt(node: BinaryNode): Promise<void> {
    deafLine.receipt()
    // The recipient chooses how many messages one receipt names.
    for await (const portion of inPortions(readReceipt(node, clock.now()), RECEIPT_PORTION)) {
      // It has arrived, whatever WhatsApp still says of it.
      for (const { providerMessageId } of portion) flights.land(providerMessageId, ARRIVED)
      await Promise.all(portion.map((report) => insisting(() => deps.onStatus(report))))
    }
  }

  function onInfo(node: BinaryNode): void {
    deafLine.info(node)
    background(versions.announced(node, session.version()))
  }

  function onUp(sock: WASocket): void {
    trust.onUp(sock)
    holds.onUp()
    groups.onUp(sock)
    history.start()
    saltSync.onUp(sock)
    former.onUp()
    signedPreKey.onUp()
  }

  const socket: SocketOptions = {
    url: deps.whatsapp.url,
    queryTimeout: sending.queryTimeout,
    devices,
    unreadable: createUnreadable(clock),
    groups,
    contentOf: (id, chat) => insisting(() => contentAgain(sending, id, chat)),
    addressOf: (chat, sock) => addressOfChat(sending, sock, chat),
    keepOfPhone: history.keep,
    logger,
  }
  const sessionContext: SessionContext = {
    ...context,
    socket,
    versions,
    random: deps.random,
    unansweredAfter: timeouts.connection,
    qrTimeout: timeouts.qr,
    events: {
      onFrame: flights.received,
      onStanza: { ack: onAck, receipt: onReceipt, notification: onNotification, info: onInfo },
      onWritten: recording.onWritten,
      onInbound: recording.onInbound,
      onTimer: recording.onTimer,
      onHistory() {
        const sock = live()
        if (sock !== undefined) trust.onMigration(sock)
        history.start()
      },
    },
  }
  const former = createFormerIdentities(sessionContext)
  const signedPreKey = createSignedPreKey(context)

  const session = createSession(sessionContext, {
    initial: deps.initial,
    mayBeReplaced: deps.mayBeReplaced,
    endTime: deps.endTime,
    onState(change) {
      if (change.state === 'restricted') account.update({ limitedAt: clock.now() })
      // After a crash in the middle of linking another number the row still names the one before.
      phone = change.phone ?? phone
      deps.onState(change)
      deps.wakeLane()
    },
    onLinking: deps.onLinking,
    onLinked(creds, { migrated, former: before }) {
      const number = ownUsers(creds).pn ?? null
      const sameAccount = phone === null || phone === number
      // Contacts and limits of one account say nothing about another.
      if (!sameAccount) {
        account.forget()
        trust.forget()
        background(store.contacts.forget(senderId))
        background(store.sendingState.change(senderId, (state) => ({ ...state, restrictedUntil: 0, restrictions: 0 })))
      }
      phone = number
      devices.store.flushAll()
      groups.onLinked({ sameAccount })
      account.learnForm({ from: 'client_props', migrated })
      holds.onLinked()
      return auth.begin(creds, { sameAccount, former: before })
    },
    onUp,
    onDown() {
      deafLine.forget()
      flights.lose('the connection was lost')
    },
  })

  /** @throws StorageError: what is stored cannot be read now */
  async function begin(): Promise<void> {
    await Promise.all([account.load(), trust.load()]).catch((err: unknown) => {
      if (err instanceof StorageError) throw err
      logger.error({ err, sender: senderId }, 'what is known of an account cannot be read')
    })
    if (stopping.signal.aborted) return
    holds.look()
    await session.start()
  }

  return {
    ...session.controls,
    start() {
      void untilDone(begin, {
        clock,
        pauseMs: AGAIN_AFTER,
        stop: stopping.signal,
        onError: (err) => logger.error({ err, sender: senderId }, 'a sender could not be started yet'),
      })
    },
    async stop() {
      stopping.abort(new Error('Kurir is stopping'))
      holds.stop()
      deafLine.forget()
      signedPreKey.stop()
      await session.controls.stop()
      await Promise.all([former.stop(), history.idle(), saltSync.idle(), groups.idle()])
      await Promise.all([account.saved(), auth.end()])
    },
    channel: createLinkedChannel(sending),
  }
}
