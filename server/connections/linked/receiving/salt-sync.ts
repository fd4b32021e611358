import { createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { type BinaryNode, proto, S_WHATSAPP_NET, type WASocket } from 'baileys'
import { MINUTE } from '../../../lib/clock.ts'
import { startDeadline } from '../../../lib/sleep.ts'
import { oneRunAtATime } from '../../../lib/turns.ts'
import type { LinkedContext } from '../account/context.ts'
import type { Trust } from '../account/trust.ts'
import { MOST_SETTINGS_BYTES } from '../library/bounds.ts'
import { childOf, childrenOf } from '../library/stanzas.ts'
import { openMediaFile } from './history-file.ts'
import { createWireReader, piece, readerOf, WIRE } from './wire-reader.ts'

/** The collection and the setting that hold the salt (whatsapp-rust 1489b7da, WAWebNctSaltSync). */
const COLLECTION = 'regular_high'
const INDEX = JSON.stringify(['nct_salt_sync'])
const SALT = [80, 1] as const

const LONGEST_MS = MINUTE
/** Our own limit. WhatsApp sends a few hundred changes per answer. */
const MOST_ANSWERS = 20
const LONGEST_RECORD = 64 * 1024
const NOTE = 'settings-version'
const REMOVED = 1

/** A change of a setting, or a setting of a snapshot. */
interface Change {
  record: Uint8Array
  isRemoved: boolean
}

/** True if the notification announces a change in the collection that holds the salt. */
export const isOfSalt = (node: BinaryNode): boolean =>
  node.attrs.type === 'server_sync' &&
  childrenOf(node).some(({ tag, attrs }) => tag === 'collection' && attrs.name === COLLECTION)

/**
 * Reads the salt of cstokens from the phone's settings, and leaves every other record sealed. Each
 * record proves by itself who wrote it. If WhatsApp leaves a record out, nothing is lost: without a
 * salt, messages are sent as before.
 */
export function createSaltSync(context: LinkedContext, trust: Trust) {
  const { senderId, auth, live, clock, logger } = context
  /** True once the settings were read since the start of the program. */
  let isRead = false

  function keysOf(sock: WASocket) {
    const known = new Map<string, SettingsKey>()
    return async (id: Buffer): Promise<SettingsKey> => {
      const name = id.toString('base64')
      const kept = known.get(name)
      if (kept !== undefined) return kept
      const shared = (await sock.authState.keys.get('app-state-sync-key', [name]))[name]?.keyData
      if (shared == null) throw new Error('a key of the phone’s settings is missing')
      const key = settingsKey(shared)
      known.set(name, key)
      return key
    }
  }

  async function ask(sock: WASocket, version: number): Promise<BinaryNode> {
    const attrs = { name: COLLECTION, version: String(version), return_snapshot: String(version === 0) }
    const answer = await sock.query({
      tag: 'iq',
      attrs: { to: S_WHATSAPP_NET, xmlns: 'w:sync:app:state', type: 'set' },
      content: [{ tag: 'sync', attrs: {}, content: [{ tag: 'collection', attrs }] }],
    })
    const collection = childOf(childOf(answer, 'sync'), 'collection')
    if (collection === undefined || collection.attrs.type === 'error') throw new Error('WhatsApp gave no settings')
    return collection
  }

  async function* download(reference: Uint8Array, sock: WASocket, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const file = proto.ExternalBlobReference.decode(reference)
    const { hosts } = await sock.refreshMediaConn()
    const of = { type: 'md-app-state', most: MOST_SETTINGS_BYTES } as const
    yield* openMediaFile(file, of, {
      hosts: hosts.map(({ hostname }) => hostname),
      signal,
      dispatcher: context.dispatcher,
    })
  }

  async function read(sock: WASocket): Promise<void> {
    const [kept] = await auth.notes(NOTE)
    let version = typeof kept?.value === 'number' ? kept.value : 0
    const keyOf = keysOf(sock)
    let found: { salt: Buffer | null } | undefined
    const deadline = startDeadline(clock, LONGEST_MS)
    const signal = AbortSignal.any([context.stopping, deadline.signal])

    async function take({ record, isRemoved }: Change): Promise<void> {
      const read = await recordIn(record)
      if (read === undefined) return
      const key = await keyOf(read.keyId)
      if (!isOfSetting(read, INDEX, key)) return
      const value = await openRecord(read, { index: INDEX, isRemoved, key })
      const salt = isRemoved ? undefined : value && (await bytesOf(value, ...SALT))
      if (isRemoved) found = { salt: null }
      else if (salt !== undefined && salt.length > 0) found = { salt }
    }

    try {
      for (let answers = 0, more = true; more && answers < MOST_ANSWERS; answers += 1) {
        const collection = await ask(sock, version)
        const snapshot = childOf(collection, 'snapshot')?.content
        if (snapshot instanceof Uint8Array) {
          version = await readAll(download(snapshot, sock, signal), false, take)
        }
        for (const { content } of childrenOf(childOf(collection, 'patches') ?? collection)) {
          if (!(content instanceof Uint8Array)) continue
          version = Math.max(version + 1, await readAll(piece(content), true, take))
          const elsewhere = await bytesOf(content, PATCH.elsewhere)
          if (elsewhere !== undefined) await readAll(download(elsewhere, sock, signal), true, take, MUTATIONS.mutations)
        }
        more = collection.attrs.has_more_patches === 'true'
      }
    } finally {
      deadline.cancel()
    }
    if (found !== undefined) await trust.learnSalt(found.salt)
    await auth.note(NOTE, NOTE, version)
  }

  const reading = oneRunAtATime(async () => {
    const sock = live()
    if (sock === undefined) return
    try {
      await read(sock)
      isRead = true
    } catch (err) {
      logger.debug({ err, sender: senderId }, 'the salt of an account could not be read')
    }
  })

  function start(): void {
    // Without `myAppStateKeyId` the phone has not shared its keys yet; it does so after the link.
    if (live()?.authState.creds.myAppStateKeyId !== undefined) reading.start()
  }

  return {
    /** Call when WhatsApp announces a change, or the phone has shared keys. */
    start,
    onUp(sock: WASocket): void {
      sock.ev.on('creds.update', ({ myAppStateKeyId }) => myAppStateKeyId !== undefined && start())
      if (!isRead) start()
    },
    idle: reading.idle,
  }
}

/** Field numbers of the messages Syncd… (whatsmeow 33cfac51, proto/waServerSync). */
const SNAPSHOT = { version: 1, records: 2 } as const
const PATCH = { mutations: 2, elsewhere: 3 } as const
const MUTATIONS = { mutations: 1 } as const
const MUTATION = { operation: 1, record: 2 } as const

/**
 * Reads a snapshot or a list of changes piece by piece. Resolves with its version; 0: it has none.
 */
async function readAll(
  source: AsyncIterable<Uint8Array>,
  isOfChanges: boolean,
  take: (change: Change) => Promise<void>,
  each: number = isOfChanges ? PATCH.mutations : SNAPSHOT.records,
): Promise<number> {
  const reader = createWireReader(source, MOST_SETTINGS_BYTES)
  let version = 0
  for (let field = await reader.field(); field !== undefined; field = await reader.field()) {
    if (field.wire !== WIRE.bytes) continue
    const content = await reader.bytes(field, LONGEST_RECORD)
    if (content === undefined) continue
    if (field.number === each) await take(isOfChanges ? await changeIn(content) : { record: content, isRemoved: false })
    else if (field.number === SNAPSHOT.version) version = await numberIn(content)
  }
  return version
}

async function changeIn(mutation: Uint8Array): Promise<Change> {
  const reader = readerOf(mutation)
  const change: Change = { record: Buffer.of(), isRemoved: false }
  for (let field = await reader.field(); field !== undefined; field = await reader.field()) {
    if (field.number === MUTATION.operation && field.wire === WIRE.varint) change.isRemoved = field.value === REMOVED
    const content = await reader.bytes(field, LONGEST_RECORD)
    if (field.number === MUTATION.record && content !== undefined) change.record = content
  }
  return change
}

async function numberIn(message: Uint8Array): Promise<number> {
  const field = await readerOf(message).field()
  return field?.wire === WIRE.varint ? field.value : 0
}

/** Keys of the phone's settings, derived from a key that the phone shares with its clients. */
interface SettingsKey {
  index: Buffer
  value: Buffer
  valueMac: Buffer
}

/**
 * A setting as WhatsApp's server stores it. Only the owner's devices can tell which setting it is.
 */
interface SettingsRecord {
  keyId: Buffer
  indexMac: Buffer
  /** Sealed value, followed by a MAC of 32 bytes. */
  sealed: Buffer
}

const MAC_LENGTH = 32
const IV_LENGTH = 16
/** Field numbers (whatsmeow 33cfac51, proto/waServerSync and waSyncAction). */
const RECORD = { index: 1, value: 2, keyId: 3, content: 1 } as const
const ACTION = { index: 1, value: 2 } as const

const hmac = (key: Buffer, ...parts: Uint8Array[]): Buffer =>
  createHmac('sha256', key).update(Buffer.concat(parts)).digest()

/** Derives the keys as all clients do (whatsmeow appstate/keys.go). */
function settingsKey(shared: Uint8Array): SettingsKey {
  const bytes = Buffer.from(hkdfSync('sha256', shared, Buffer.of(), 'WhatsApp Mutation Keys', 160))
  return { index: bytes.subarray(0, 32), value: bytes.subarray(32, 64), valueMac: bytes.subarray(64, 96) }
}

/**
 * Resolves with the bytes of the first field at a path of field numbers; undefined: there is none.
 */
async function bytesOf(message: Uint8Array, ...path: readonly number[]): Promise<Buffer | undefined> {
  const [number, ...rest] = path
  if (number === undefined) return Buffer.from(message)
  const reader = readerOf(message)
  for (let field = await reader.field(); field !== undefined; field = await reader.field()) {
    const content = await reader.bytes(field, message.length)
    if (field.number === number && content !== undefined) return bytesOf(content, ...rest)
  }
  return undefined
}

async function recordIn(message: Uint8Array): Promise<SettingsRecord | undefined> {
  const [keyId, indexMac, sealed] = await Promise.all(
    [RECORD.keyId, RECORD.index, RECORD.value].map((part) => bytesOf(message, part, RECORD.content)),
  )
  return keyId === undefined || indexMac === undefined || sealed === undefined ? undefined : { keyId, indexMac, sealed }
}

/** True if a record holds the setting with this index, such as `["nct_salt_sync"]`. */
const isOfSetting = ({ indexMac }: SettingsRecord, index: string, key: SettingsKey): boolean =>
  equal(indexMac, hmac(key.index, Buffer.from(index)))

/**
 * Resolves with the value of a setting; undefined: it has none.
 * @throws if none of the owner's devices wrote the record
 */
async function openRecord(
  { keyId, sealed }: SettingsRecord,
  { index, isRemoved, key }: { index: string; isRemoved: boolean; key: SettingsKey },
): Promise<Buffer | undefined> {
  const [content, mac] = [sealed.subarray(0, -MAC_LENGTH), sealed.subarray(-MAC_LENGTH)]
  const about = Buffer.concat([Buffer.of(isRemoved ? 2 : 1), keyId])
  const length = Buffer.alloc(8)
  length.writeUInt32BE(about.length, 4)
  const proof = createHmac('sha512', key.valueMac).update(about).update(content).update(length).digest()
  if (!equal(mac, proof.subarray(0, MAC_LENGTH))) throw new Error('a setting that none of the owner’s devices wrote')
  const decipher = createDecipheriv('aes-256-cbc', key.value, content.subarray(0, IV_LENGTH))
  const action = Buffer.concat([decipher.update(content.subarray(IV_LENGTH)), decipher.final()])
  const named = await bytesOf(action, ACTION.index)
  if (named?.toString() !== index) throw new Error('a setting under the name of another')
  return bytesOf(action, ACTION.value)
}

const equal = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && timingSafeEqual(one, other)
