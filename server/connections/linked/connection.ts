import type { BinaryNode, WAMessage, WASocket } from 'baileys'
import type { Dispatcher } from 'undici'
import type { FirstContacts } from '../../contract/senders.ts'
import { type Clock, isoTime, isoTimeOrNull } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { sleep, untilDone } from '../../lib/sleep.ts'
import { StorageError } from '../../lib/storage-error.ts'
import { SECOND } from '../../lib/time.ts'
import type { Vault } from '../../lib/vault.ts'
import type { SenderConnection } from '../../senders/connection.ts'
import type { CustomersPort } from '../../senders/customers.ts'
import type {
  ContactStore,
  GroupMember,
  GroupStore,
  LinkedFactsStore,
  Message,
  SessionStore,
} from '../../store/index.ts'
import { createAccount } from './account/account-facts.ts'
import { learn } from './account/addressing.ts'
import { createDeviceCache } from './account/device-lists.ts'
import { usersChangedBy } from './account/devices.ts'
import { createFirstContactHolds } from './account/first-contacts.ts'
import { createLookUps } from './account/look-ups.ts'
import { createLookup } from './account/lookup.ts'
import { createTrust } from './account/trust.ts'
import { createAuthState } from './keys/auth-state.ts'
import { limitSkippedKeys } from './keys/session-bounds.ts'
import { createSignedPreKey } from './keys/signed-pre-key.ts'
import { ownUsers } from './library/jids.ts'
import { quietLibsignal } from './library/libsignal-quiet.ts'
import { enforceSignatures } from './library/signatures.ts'
import type { VersionsInUse } from './library/versions-in-use.ts'
import { createHistoryReader } from './receiving/history-reader.ts'
import { type ReceiptReport, readReceipt } from './receiving/receipts.ts'
import { type ChatTimer, readReceived } from './receiving/received.ts'
import { createSaltSync, isOfSalt } from './receiving/salt-sync.ts'
import { createUnreadable } from './receiving/unreadable.ts'
import { type ContentStore, createLinkedChannel } from './sending/channel.ts'
import { deletionId, deletionOf, inChat, partsOf, twinId } from './sending/content.ts'
import { createFlights } from './sending/flights.ts'
import { createGroupRoad } from './sending/group-road.ts'
import { acknowledgementIn, createRelay } from './sending/relay.ts'
import { createDeafLine } from './session/deaf-line.ts'
import { createFormerIdentities } from './session/former-identities.ts'
import { createSession, type SessionChange, type SessionControls } from './session/session.ts'
import type { LastRun } from './session/session-state.ts'
import type { SocketOptions } from './session/socket-config.ts'

export interface LinkedConnectionDeps {
  senderId: number
  /** The number that was linked last; contacts of another are forgotten. */
  phone?: string | null
  /** As the last run left it. */
  initial?: LastRun
  /** True if another program of ours may connect with this number; default: no. */
  mayBeReplaced?: boolean
  sessions: SessionStore
  vault: Vault
  contacts: ContactStore
  facts: LinkedFactsStore
  groups: GroupStore
  /** Sent messages, for recipients who ask again. */
  messages: {
    find(ref: { providerMessageId: string; senderId: number }): Promise<Message | undefined>
    /** Whom a message of a group is written to. Resolves when it is on disk. */
    keepMembers(seq: number, members: readonly GroupMember[]): Promise<unknown>
  } & ContentStore
  config: { whatsappUrl?: string | undefined; rootKeyHex?: string | undefined }
  versions: VersionsInUse
  clock: Clock
  /** Now, or, shortly after a start, when Kurir was last open. */
  endTime: () => number
  random: () => number
  logger: Logger
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
  /** How often in a row a connection of this number brought nothing, before this one was made. */
  deafBefore?: number
  /** A new connection brings nothing either: everything that this one knows is to be made again. */
  onDeaf?(times: number): void
  /**
   * True if waiting messages may leave through this number, as far as that is written down;
   * default: yes.
   */
  isRecorded?: (phone: string) => boolean
  /** Connects to WhatsApp's hosts for files. */
  mediaDispatcher: Dispatcher
  /**
   * Milliseconds. Defaults: 20 s for an acknowledgement or a connection, 15 s for a query,
   * WhatsApp's own for a QR code.
   */
  timeouts?: { ack?: number; query?: number; connection?: number; qr?: number }
}

// Pause after an error.
const AGAIN_AFTER = 5 * SECOND
// Tries of what no disk keeps from being recorded; it may be recorded with the next connection.
const MOST_TRIES = 3
// Stanzas kept in memory while the storage is away; the rest comes again with the next connection.
const MOST_WAITING = 10_000

export interface LinkedConnection extends SenderConnection, Omit<SessionControls, 'start'> {
  /** At the start of the program, as soon as what is stored can be read. */
  start(): void
}

const NEVER_LINKED: LastRun = {
  state: 'unlinked',
  reason: null,
  detail: null,
  until: null,
  noConnectionBefore: null,
}

/**
 * A number that is linked by QR or pairing code: everything that Kurir knows of it and does with
 * it.
 */
export function createLinkedConnection(deps: LinkedConnectionDeps): LinkedConnection {
  const { senderId, clock, logger, messages, contacts, versions, timeouts = {} } = deps
  enforceSignatures(deps.config.rootKeyHex)
  quietLibsignal()
  limitSkippedKeys()

  const queryTimeout = timeouts.query ?? 15 * SECOND
  const stopping = new AbortController()
  const live = (): WASocket | undefined => session.live()
  const auth = createAuthState({ senderId, sessions: deps.sessions, vault: deps.vault, clock, logger })
  const account = createAccount({ senderId, store: deps.facts, logger })
  const devices = createDeviceCache(clock)
  const holds = createFirstContactHolds({ account, clock, logger, live, onChange: deps.onFirstContacts })
  const lookUps = createLookUps(clock)
  const lookup = createLookup({
    senderId,
    contacts,
    lookUps,
    holds,
    onLookUp: deps.onLookUp,
    clock,
    stopping: stopping.signal,
  })
  const trust = createTrust({ account, auth, clock, logger })
  const flights = createFlights({ clock, timeout: timeouts.ack ?? 20 * SECOND, onSilence: () => session.renew() })
  const history = createHistoryReader({
    senderId,
    auth,
    account,
    contacts,
    trust,
    onChats: holds.onChats,
    live,
    clock,
    logger,
    dispatcher: deps.mediaDispatcher,
    stopping: stopping.signal,
  })
  const saltSync = createSaltSync({
    senderId,
    auth,
    trust,
    live,
    clock,
    logger,
    dispatcher: deps.mediaDispatcher,
    stopping: stopping.signal,
  })
  const relay = createRelay({
    senderId,
    account,
    contacts,
    lookup,
    lookUps,
    holds,
    devices,
    flights,
    trust,
    clock,
    logger,
    queryTimeout,
    onAcknowledged: () => session.proven(),
  })
  const groups = createGroupRoad({
    senderId,
    store: deps.groups,
    lookUps,
    flights,
    live,
    clock,
    logger,
    keepMembers: messages.keepMembers,
    onAcknowledged: () => session.proven(),
  })
  /**
   * How often in a row a connection brought nothing: first it is made again, then everything that
   * is known of it.
   */
  let deafTimes = deps.deafBefore ?? 0
  const deafLine = createDeafLine({ clock, times: () => deafTimes, onDeaf })
  let phone = deps.phone ?? null
  let waitingForStorage = 0

  /** The stanza with this id, as it was written. */
  async function partOf(providerMessageId: string) {
    for (const id of [providerMessageId, twinId(providerMessageId)]) {
      const message = await messages.find({ providerMessageId: id, senderId })
      const parts = message === undefined ? [] : partsOf(message, id, await messages.content(message.seq))
      const part = parts.find((one) => one.id === providerMessageId)
      if (part !== undefined) return part
    }
    return undefined
  }

  /**
   * A recipient could not read a message, or that one is deleted, and asks for it again, perhaps
   * days later, by a number or a LID of then. Who asks is not compared: only those who got the
   * message, and the devices of this account, know its id (72 random bits).
   */
  async function contentOf(providerMessageId: string, chat: string) {
    const part = await partOf(providerMessageId)
    if (part !== undefined) return part.content
    const deleted = await partOf(deletionId(providerMessageId))
    return deleted && inChat(deletionOf(deleted.id).content, chat)
  }

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

  function onDeaf(): void {
    logger.warn({ sender: senderId }, 'a connection to WhatsApp brings nothing any more')
    deafTimes += 1
    if (deafTimes % 2 === 0) deps.onDeaf?.(deafTimes)
    else session.renew()
  }

  async function onReceipt(node: BinaryNode): Promise<void> {
    deafLine.receipt()
    deafTimes = 0
    await Promise.all(readReceipt(node, clock.now()).map((report) => insisting(() => deps.onStatus(report))))
  }

  /**
   * WhatsApp repeats what was not confirmed only with the next connection, and this one may last
   * for weeks.
   */
  async function insisting<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await work()
      } catch (err) {
        const isInVain = err instanceof StorageError ? err.problem === 'not_holder' : tries >= MOST_TRIES
        if (isInVain || stopping.signal.aborted || waitingForStorage >= MOST_WAITING) throw err
        logger.error({ err, sender: senderId }, 'what WhatsApp reported cannot be recorded yet')
      }
      waitingForStorage += 1
      await sleep(clock, AGAIN_AFTER, stopping.signal).finally(() => {
        waitingForStorage -= 1
      })
    }
  }

  function onInfo(node: BinaryNode): void {
    deafLine.info(node)
    background(versions.announced(node, session.version()))
  }

  async function noteInbound(number: string, message: WAMessage): Promise<void> {
    if (!(await lookup.isKnown(number)))
      await contacts.learn(senderId, [{ phone: number, lastMessageAt: clock.now(), timer: null }])
    const received = readReceived(message)
    if (received !== null) await deps.onReceived({ ...received, senderId, from: number, fromUserId: null })
  }

  /**
   * WhatsApp repeats what is not confirmed: a fault of ours must not end each connection for one
   * message.
   */
  async function takeWritten(number: string, message: WAMessage): Promise<void> {
    try {
      await insisting(() => noteInbound(number, message))
    } catch (err) {
      if (err instanceof StorageError || stopping.signal.aborted) throw err
      logger.error({ err, sender: senderId }, 'a message of a customer is passed over')
    }
  }

  async function noteTimer(number: string, { seconds, setAt }: ChatTimer): Promise<void> {
    const contact = await contacts.get(senderId, number)
    if ((contact?.timer ?? null) !== seconds) await contacts.change(senderId, number, { timer: seconds, setAt })
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

  function background(work: Promise<unknown>): void {
    work.catch((err: unknown) => logger.error({ err, sender: senderId }, 'could not record what WhatsApp reported'))
  }

  const socket: SocketOptions = {
    queryTimeout,
    devices,
    unreadable: createUnreadable(clock),
    senderKeys: groups.senderKeys,
    groups: groups.groups,
    contentOf: (id, chat) => insisting(() => contentOf(id, chat)),
    addressOf: (chat, sock) => relay.addressOf(sock, chat),
    keepOfPhone: history.keep,
    logger,
  }
  if (deps.config.whatsappUrl !== undefined) socket.url = deps.config.whatsappUrl
  if (timeouts.qr !== undefined) socket.qrTimeout = timeouts.qr
  const former = createFormerIdentities({ auth, socket, versions, clock, logger })
  const signedPreKey = createSignedPreKey({ auth, live, clock, logger })

  const session = createSession({
    initial: deps.initial ?? NEVER_LINKED,
    auth,
    socket,
    versions,
    clock,
    random: deps.random,
    logger,
    ...(timeouts.connection === undefined ? {} : { unansweredAfter: timeouts.connection }),
    mayBeReplaced: deps.mayBeReplaced ?? false,
    limitedAt: () => account.facts().limitedAt ?? undefined,
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
      // One account's knowledge of its contacts says nothing about another's.
      if (!sameAccount) {
        account.forget()
        background(contacts.forget(senderId))
      }
      phone = number
      devices.store.flushAll()
      groups.onLinked({ sameAccount })
      const { form } = account.facts()
      const learnt = learn(form, { from: 'client_props', migrated })
      if (learnt !== form) account.update({ form: learnt })
      holds.onLinked()
      return auth.begin(creds, { sameAccount, former: before })
    },
    onUp,
    onDown() {
      deafLine.forget()
      flights.lose('the connection was lost')
    },
    events: {
      onFrame: flights.received,
      onStanza: {
        ack: onAck,
        receipt: onReceipt,
        notification: onNotification,
        info: onInfo,
      },
      onWritten: takeWritten,
      onInbound: (number, message) => background(noteInbound(number, message)),
      onTimer: (number, timer) => background(noteTimer(number, timer)),
      onHistory() {
        const sock = live()
        if (sock !== undefined) trust.onMigration(sock)
        history.start()
      },
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
    await session.controls.start()
  }

  const start = (): Promise<void> =>
    untilDone(begin, {
      clock,
      pauseMs: AGAIN_AFTER,
      stop: stopping.signal,
      onError: (err) => logger.error({ err, sender: senderId }, 'a sender could not be started yet'),
    })

  return {
    ...session.controls,
    start: () => void start(),
    async stop() {
      stopping.abort(new Error('Kurir is stopping'))
      holds.stop()
      deafLine.forget()
      signedPreKey.stop()
      await session.controls.stop()
      await Promise.all([former.stop(), history.idle(), saltSync.idle(), groups.idle()])
      await Promise.all([account.saved(), auth.end()])
    },
    channel: createLinkedChannel({
      live: () => (deps.isRecorded?.(phone ?? '') === false ? undefined : live()),
      renew: session.renew,
      lookup,
      relay,
      groups: groups.relay,
      flights,
      contents: messages,
      mediaDispatcher: deps.mediaDispatcher,
      stopping: stopping.signal,
      clock,
      queryTimeout,
    }),
    linking() {
      const linking = session.linking()
      return (
        linking && {
          ...linking,
          expires_at: isoTimeOrNull(linking.expires_at),
          passkey: linking.passkey && { ...linking.passkey, until: isoTime(linking.passkey.until) },
        }
      )
    },
  }
}
