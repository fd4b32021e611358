import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, onTestFinished } from 'vitest'
import {
  createLinkedConnection,
  type LinkedConnection,
  type LinkedConnectionDeps,
} from '../../../server/connections/linked/index.ts'
import { createVersionsInUse, type VersionsInUse } from '../../../server/connections/linked/library/versions.ts'
import type { ReceiptReport } from '../../../server/connections/linked/receiving/recording.ts'
import type { SessionChange } from '../../../server/connections/linked/session/session.ts'
import type { LinkRequest } from '../../../server/contract/linking.ts'
import type { ConnectionState, FirstContacts, SenderView } from '../../../server/contract/senders.ts'
import { createBus } from '../../../server/lib/bus.ts'
import { systemClock } from '../../../server/lib/clock.ts'
import { createLogger } from '../../../server/lib/logger.ts'
import { createVault } from '../../../server/lib/vault.ts'
import type { MediaFile } from '../../../server/media/fetch.ts'
import type { Outcome, Outgoing } from '../../../server/messages/channel.ts'
import { createRecorder } from '../../../server/messages/record.ts'
import type { ContactStore, LinkedFactsStore, Message, SessionStore, Store } from '../../../server/store/index.ts'
import { nodesOf, openTestStore, turn } from '../../support/engine.ts'
import { newHome } from '../../support/new-home.ts'
import { newRow } from '../../support/new-message.ts'
import { type PeerOptions, startWhatsAppPeer, type WhatsAppPeer } from '../../support/whatsapp-peer/index.ts'

export const OWNER = '6281100000001'
export const RECIPIENT = '6281234567890'

/** Values that come one by one, to be awaited. */
function stream<T>() {
  const seen: T[] = []
  let arrival = Promise.withResolvers<void>()
  return {
    seen,
    add(value: T) {
      seen.push(value)
      arrival.resolve()
      arrival = Promise.withResolvers()
    },
    /** The first that fits and was not returned before. */
    async next(fits: (value: T) => boolean, from: { at: number }): Promise<T> {
      for (;;) {
        const arrived = arrival.promise
        for (; from.at < seen.length; ) {
          const value = seen[from.at] as T
          from.at += 1
          if (fits(value)) return value
        }
        await arrived
      }
    },
  }
}

/** Parts of a run in place of the usual ones. */
interface Overrides extends Partial<LinkedConnectionDeps> {
  sessions?: SessionStore
  contacts?: ContactStore
  facts?: LinkedFactsStore
  versions?: VersionsInUse
}

export type World = Awaited<ReturnType<typeof createWorld>>

/** A peer, a store in a folder of its own, and linked senders that come and go on it. All of it ends with the test. */
export async function createWorld({ versionUrl, ...options }: PeerOptions & { versionUrl?: string } = {}) {
  const peer = await startWhatsAppPeer({ fewKeys: true, ...options })
  onTestFinished(() => peer.close())
  onTestFinished(() => expect(peer.journal.online).toEqual([]))
  onTestFinished(() => expect(peer.journal.needless).toEqual([]))
  // The library itself asks for nobody.
  onTestFinished(() => expect(peer.journal.lookUps.filter(({ context }) => context === 'background')).toEqual([]))
  onTestFinished(() => expect(peer.journal.oddAnswers).toEqual([]))
  const home = await newHome()
  const store = await openTestStore({ home, now: Date.now })
  onTestFinished(async () => {
    await store.close()
    await rm(home, { recursive: true })
  })
  const row = await store.senders.add({
    code: 'SND-TEST',
    kind: 'linked',
    settings: {
      name: 'Test',
      pacing: { min_seconds: 0, max_seconds: 0 },
      daily_cap: null,
      quiet_hours: null,
      country_code: null,
      second_road: null,
    },
    state: 'unlinked',
    official: null,
    createdAt: Date.now(),
  })
  await nodesOf(store)?.renew({ url: null, version: 'test', startedAt: 0 })
  const record = createRecorder(store.messages, createBus())
  const printed: string[] = []
  const destination = new PassThrough()
  destination.on('data', (line: Buffer) => printed.push(line.toString()))
  const vaultKey = randomBytes(32)
  /** A run of the program: same store, new memory. */
  function open({
    sessions = store.sessions,
    contacts = store.contacts,
    facts = store.linkedFacts,
    ...overrides
  }: Overrides = {}) {
    const changes = stream<SessionChange>()
    const codes = stream<SenderView['linking']>()
    const holds = stream<FirstContacts>()
    const reports = stream<ReceiptReport>()
    const cursor = { states: { at: 0 }, codes: { at: 0 }, holds: { at: 0 } }
    const logger = createLogger('debug', destination)
    const versions =
      overrides.versions ?? createVersionsInUse(store.meta, versionUrl, overrides.clock ?? systemClock, logger)
    const deps: LinkedConnectionDeps = {
      senderId: row.id,
      store: { ...store, sessions, contacts, linkedFacts: facts },
      record,
      vault: createVault(vaultKey),
      phone: null,
      initial: row,
      mayBeReplaced: false,
      deafBefore: 0,
      isRecorded: () => true,
      whatsapp: { url: peer.url, rootKeyHex: peer.rootKeyHex },
      clock: systemClock,
      endTime: Date.now,
      // Waits for a reconnection are as short as they get.
      random: () => 0,
      logger,
      onState: changes.add,
      onLinking: () => codes.add(linked.linking()),
      onFirstContacts: holds.add,
      async onLookUp() {},
      async onStatus(report) {
        await record.report({ providerMessageId: report.providerMessageId, senderId: row.id }, report)
        reports.add(report)
      },
      onReceived: async () => undefined,
      wakeLane() {},
      onDeaf() {},
      mediaDispatcher: peer.media.dispatcher,
      ...overrides,
    }
    const linked: LinkedConnection = createLinkedConnection(deps, versions)
    onTestFinished(() => linked.stop())
    const state = (wanted: ConnectionState) => changes.next((change) => change.state === wanted, cursor.states)
    return {
      linked,
      /** As it was reported last. */
      view() {
        const last = changes.seen.at(-1)
        return { state: last?.state, reason: last?.reason, linking: linked.linking() }
      },
      /** The next attempt to link that looks so. */
      shown: (fits: (linking: SenderView['linking']) => boolean) => codes.next(fits, cursor.codes),
      held: (fits: (facts: FirstContacts) => boolean) => holds.next(fits, cursor.holds),
      changes: changes.seen,
      reports: reports.seen,
      /** The next change to this state. */
      state,
      reported: (id: string, status: ReceiptReport['status']) =>
        reports.next((one) => one.providerMessageId === id && one.status === status, { at: 0 }),
      /** The next code that is shown. */
      async code(): Promise<string> {
        const linking = await codes.next((shown) => Boolean(shown?.qr ?? shown?.pairing_code), cursor.codes)
        return linking?.qr ?? linking?.pairing_code ?? ''
      },
      /** Links by whatever the owner asks for, up to the open connection. */
      async link(request: LinkRequest = { method: 'qr' }, phone = peer.phone(OWNER, { name: 'Toko' })) {
        await linked.link(request)
        const code = await this.code()
        await (request.method === 'qr' ? phone.scan(code) : phone.enterCode(code))
        await state('connected')
        await holds.next(({ heldBy }) => heldBy === 'new_link', cursor.holds)
        if (phone.sendsChats) await holds.next(({ heldBy }) => heldBy !== 'new_link', cursor.holds)
        return phone
      },
      /** Checks and sends as a lane does; resolves with the outcome. */
      async send(message: Outgoing, media: MediaFile | null = null): Promise<Outcome> {
        let checked = await linked.channel.check(message)
        if (checked === 'again') checked = await linked.channel.check(message)
        if (checked === 'again' || (checked !== 'go' && checked.kind === 'wait')) throw new Error('it has to wait')
        if (checked !== 'go') return checked
        const isFirstContact = await linked.channel.isFirstContact(message)
        const flight = await linked.channel.send(message, media)
        const outcome = await flight.outcome
        if (outcome.kind === 'acknowledged' && isFirstContact) {
          await record.change({ seq: message.seq }, () => ({ at: Date.now(), also: [{ kind: 'known_contact' }] }))
        }
        return outcome
      },
    }
  }

  return {
    peer,
    store,
    home,
    senderId: row.id,
    record,
    printed,
    open,
    /** Whatever was given to the store before is on disk, and what it was asked is answered. */
    async written(): Promise<void> {
      await store.settings.save({})
      await turn()
    },
    message: createMessage(store, row.id),
    file: fileIn(home),
  }
}

const createMessage =
  (store: Store, senderId: number) =>
  async (body: string | null, { to = RECIPIENT, file = null as string | null } = {}): Promise<Outgoing> => {
    const accepted = await store.messages.accept(newRow({ senderId, recipient: to, body, file }), { unique: false })
    if (accepted.kind !== 'accepted') throw new Error('not accepted')
    const providerMessageId = `3EB0${randomBytes(9).toString('hex').toUpperCase()}`
    const changed = await store.messages.change({ seq: accepted.seq }, (message: Message) => ({
      status: 'sending',
      at: Date.now(),
      attemptBegins: true,
      providerMessageId,
      nextAt: message.nextAt,
    }))
    if (changed === undefined) throw new Error('not claimed')
    return { ...changed.after, providerMessageId }
  }

const fileIn =
  (home: string) =>
  async (kind: MediaFile['kind'], bytes: Buffer, mimetype: string, fileName: string): Promise<MediaFile> => {
    const path = join(home, fileName)
    await writeFile(path, bytes)
    return { path, kind, mimetype, fileName, size: bytes.length, sha256: '' }
  }

export type { WhatsAppPeer }
