import { createCipheriv, createHash, createHmac, hkdfSync, randomBytes, randomUUID } from 'node:crypto'
import { type BinaryNode, makeLtHashGenerator, newLTHashState, proto, S_WHATSAPP_NET } from 'baileys'
import type { Account } from './account.ts'
import { lengthDelimited } from './history-chunk.ts'
import type { MediaHost } from './media-host.ts'
import { sealFile } from './phone-history.ts'
import { child, children, queryError, result, seconds, stanza } from './stanza.ts'

const COLLECTION = 'regular_high'
export const NCT_SALT = ['nct_salt_sync']
const { SET, REMOVE } = proto.SyncdMutation.SyncdOperation

/** The phone's settings (app state) in one collection, encrypted as on the server. */
export interface Settings {
  key: { id: Buffer; data: Buffer }
  state: ReturnType<typeof newLTHashState>
  records: Map<string, proto.ISyncdRecord>
  patches: Map<number, Uint8Array>
  /** All settings of a version, with the reference to the file. */
  snapshot: { version: number; reference: Uint8Array } | undefined
}

export const newSettings = (): Settings => ({
  key: { id: randomBytes(6), data: randomBytes(32) },
  state: newLTHashState(),
  records: new Map(),
  patches: new Map(),
  snapshot: undefined,
})

const hmac = (key: Uint8Array, ...parts: Uint8Array[]) =>
  createHmac('sha256', key).update(Buffer.concat(parts)).digest()

/** Derives the keys as both clients do (whatsmeow appstate/keys.go). */
function keysOf({ key }: Settings) {
  const bytes = Buffer.from(hkdfSync('sha256', key.data, '', 'WhatsApp Mutation Keys', 160))
  const [index, value, valueMac, snapshot, patch] = [0, 1, 2, 3, 4].map((n) => bytes.subarray(32 * n, 32 * n + 32))
  if (!index || !value || !valueMac || !snapshot || !patch) throw new Error('no keys')
  return { index, value, valueMac, snapshot, patch }
}

const number64 = (value: number) => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}

/** Returns a SyncActionValue with a field that the library's own schema lacks. */
export const saltAction = (salt: Buffer): Buffer => lengthDelimited(80, lengthDelimited(1, salt))

function seal(settings: Settings, index: string[], value: Buffer, operation: proto.SyncdMutation.SyncdOperation) {
  const keys = keysOf(settings)
  const name = Buffer.from(JSON.stringify(index))
  const action = Buffer.concat([lengthDelimited(1, name), lengthDelimited(2, value)])
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-256-cbc', keys.value, iv)
  const content = Buffer.concat([iv, cipher.update(action), cipher.final()])
  const about = Buffer.concat([Buffer.of(operation === REMOVE ? 2 : 1), settings.key.id])
  const valueMac = createHmac('sha512', keys.valueMac)
    .update(Buffer.concat([about, content, number64(about.length)]))
    .digest()
    .subarray(0, 32)
  return { indexMac: hmac(keys.index, name), valueMac, blob: Buffer.concat([content, valueMac]) }
}

/** Writes or removes a setting, which adds a patch on the server. */
export function changeSettings(settings: Settings, index: string[], value: Buffer | undefined) {
  const operation = value === undefined ? REMOVE : SET
  const { indexMac, valueMac, blob } = seal(settings, index, value ?? Buffer.of(), operation)
  const record = { index: { blob: indexMac }, value: { blob }, keyId: { id: settings.key.id } }
  const hash = makeLtHashGenerator(settings.state)
  hash.mix({ indexMac, valueMac, operation })
  const version = settings.state.version + 1
  settings.state = { ...settings.state, ...hash.finish(), version }
  if (value === undefined) settings.records.delete(indexMac.toString('hex'))
  else settings.records.set(indexMac.toString('hex'), record)

  const keys = keysOf(settings)
  const end = [number64(version), Buffer.from(COLLECTION)]
  const snapshotMac = hmac(keys.snapshot, settings.state.hash, ...end)
  const patch = proto.SyncdPatch.encode({
    version: { version },
    mutations: [{ operation, record }],
    snapshotMac,
    patchMac: hmac(keys.patch, snapshotMac, valueMac, ...end),
    keyId: { id: settings.key.id },
  })
  settings.patches.set(version, patch.finish())
}

/** Stores all settings in one file. A new client gets it, and the patches since. */
export async function makeSnapshot(settings: Settings, host: MediaHost) {
  const { version, hash } = settings.state
  const mac = hmac(keysOf(settings).snapshot, hash, number64(version), Buffer.from(COLLECTION))
  const keyId = { id: settings.key.id }
  const content = proto.SyncdSnapshot.encode({
    ...{ version: { version }, records: [...settings.records.values()], mac, keyId },
  }).finish()
  const { mediaKey, file } = await sealFile(Buffer.from(content), 'md-app-state')
  const directPath = `/v/t62.15575-24/${randomUUID()}`
  host.put(directPath, file)
  const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest()
  const reference = proto.ExternalBlobReference.encode({
    ...{ mediaKey, directPath, fileSizeBytes: file.length, fileSha256: sha256(content), fileEncSha256: sha256(file) },
  }).finish()
  settings.snapshot = { version, reference }
}

export const settingsChanged = ({ state }: Settings, now: number): BinaryNode =>
  stanza('notification', { id: randomUUID(), from: S_WHATSAPP_NET, type: 'server_sync', t: seconds(now) }, [
    stanza('collection', { name: COLLECTION, version: String(state.version) }),
  ])

/** Answers with one patch at a time, so that a client has to ask again for the next. */
export function answerSettings(query: BinaryNode, { settings }: Account): BinaryNode {
  const asked = children(child(query, 'sync'))
  if (asked.some(({ tag, attrs }) => tag !== 'collection' || !attrs.name || !/^\d+$/.test(String(attrs.version)))) {
    return queryError(query, 400, 'bad-request')
  }
  const collections = asked.map(({ attrs: { name, version, return_snapshot } }) => {
    if (settings === undefined || name !== COLLECTION) return stanza('collection', { name, version, type: 'result' })
    const snapshot = return_snapshot === 'true' ? settings.snapshot : undefined
    const known = snapshot?.version ?? Number(version)
    const patch = settings.patches.get(known + 1)
    const hasMore = settings.patches.has(known + 2) ? { has_more_patches: 'true' } : {}
    return stanza('collection', { name, version: String(known), type: 'result', ...hasMore }, [
      ...(snapshot ? [stanza('snapshot', {}, snapshot.reference)] : []),
      stanza('patches', {}, patch ? [stanza('patch', {}, patch)] : []),
    ])
  })
  return result(query, [stanza('sync', {}, collections)])
}
