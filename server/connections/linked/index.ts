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

/** Dependencies of a linked number, and the callbacks through which it reports. */
export interface LinkedConnectionDeps {
  senderId: number
  /**
   * Number that was linked last; null: none. Linking another account forgets this one's contacts.
   */
  phone: string | null
  initial: LastRun
  /** True if another Kurir on the same database may connect with this number. */
  mayBeReplaced: boolean
  /** Number of consecutive connections before this one that brought nothing in. */
  deafBefore: number
  /** True if the sender's row names this number. Until then no waiting message may leave. */
  isRecorded(phone: string): boolean
  store: Store
  record: Recorder
  vault: Vault
  /** WhatsApp's address and key; undefined: the library's own values. */
  whatsapp: { url: string | undefined; rootKeyHex: string | undefined }
  clock: Clock
  /** Returns the current time; shortly after a start, the time when Kurir was last open. */
  endTime(): number
  random(): number
  logger: Logger
  /** Makes the guarded connections to WhatsApp's hosts for files. */
  mediaDispatcher: Dispatcher
  /**
   * Timeouts in milliseconds. Defaults: 20 s for an acknowledgement or a connection, 15 s for a
   * query, WhatsApp's own for a QR code.
   */
  timeouts?: { ack?: number; query?: number; connection?: number; qr?: number } | undefined
  onState(change: SessionChange): void
  /** Called when a link code appears, changes or disappears. */
  onLinking(): void
  /**
   * Called when the hold on first contacts or the known cap on new chats has changed. `isFreed`:
   * first contacts need not wait any longer.
   */
  onFirstContacts(facts: FirstContacts, isFreed: boolean): void
  /** Counts a look-up as a send in the pacing. Resolves when that is on disk. */
  onLookUp(): Promise<void>
  /** Records a receipt. Resolves when the record is on disk, so that WhatsApp may forget it. */
  onStatus(report: ReceiptReport): Promise<unknown>
  onReceived: CustomersPort['received']
  wakeLane(): void
  /**
   * Called when a renewed connection brings nothing either: this object must be replaced by a new
   * one. `times`: number of such connections in a row.
   */
  onDeaf(times: number): void
}

export interface LinkedConnection extends SenderConnection {
  /** Loads the stored state and connects; tries again while the state cannot be read. */
  start(): void
}

/** Creates the running side of a number that is linked by QR or pairing code. */
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
    // Messages wait until the sender's row names the linked number.
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
    // Odd times make a new connection. Even times replace all state in memory too.
    if (times % 2 === 0) deps.onDeaf(times)
    else session.renew()
  })
  let { phone } = deps

  function onAck(node: BinaryNode): void {
    const id = node.attrs.id ?? ''
    const landing = acknowledgementIn(node)
    if (landing.error === undefined) deafLine.acknowledged()
    // An error that follows a good acknowledgement of the same id does not undo it.
    if (flights.land(id, landing) || landing.error !== undefined) return
    // This acknowledgement came after its timeout, but it still proves that the message was sent.
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
    // The recipient decides how many messages one receipt names, so record them in portions.
    for await (const portion of inPortions(readReceipt(node, clock.now()), RECEIPT_PORTION)) {
      // A receipt proves that the message arrived, whatever acknowledgement still follows.
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
      // After a crash while another number was being linked, the row still names the previous one.
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

  /** @throws StorageError if the stored state cannot be read at the moment */
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
