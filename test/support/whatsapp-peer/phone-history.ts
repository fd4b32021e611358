import { createCipheriv, createHash, createHmac, randomBytes, randomUUID } from 'node:crypto'
import { getMediaKeys, proto } from 'baileys'
import { type Companion, type Contact, jidOf, phoneOf, signalName } from './directory.ts'
import { type HistoryChunk, historyChunk } from './history-chunk.ts'
import { takeBundle } from './key-bundle.ts'
import type { MediaHost } from './media-host.ts'
import { seconds, stanza } from './stanza.ts'

const { APP_STATE_SYNC_KEY_SHARE, HISTORY_SYNC_NOTIFICATION, LID_MIGRATION_MAPPING_SYNC } =
  proto.Message.ProtocolMessage.Type

/** Sends a protocol message of the phone to a companion. Only the own phone may send these. */
const notifyCompanion = (contact: Contact, companion: Companion, content: proto.IMessage, now: number) =>
  postFromPhone(contact, companion, content, { from: jidOf(contact, false), category: 'peer', t: seconds(now) })

/**
 * Sends a companion its copy of a message that the owner wrote on the phone. Resolves with the id.
 */
export const sendCopy = (
  contact: Contact,
  companion: Companion,
  content: proto.IMessage,
  { unreadable, ...attrs }: CopyAttributes & { unreadable: boolean },
) =>
  postFromPhone(
    contact,
    companion,
    { deviceSentMessage: { destinationJid: attrs.recipient, message: content } },
    { ...attrs },
    unreadable,
  )

export interface CopyAttributes {
  from: string
  recipient: string
  t: string
  peer_recipient_pn?: string
  peer_recipient_lid?: string
}

async function postFromPhone(
  contact: Contact,
  companion: Companion,
  content: proto.IMessage,
  attrs: Record<string, string>,
  unreadable = false,
) {
  const sealed = await phoneOf(contact).signal.seal(signalName(contact), companion.device, content, () => {
    const bundle = takeBundle(contact, companion.device)
    if (!bundle) throw new Error(`device ${companion.device} is no longer linked`)
    return bundle
  })
  const id = randomBytes(16).toString('hex').toUpperCase()
  companion.outbox.post(
    stanza('message', { ...attrs, id, type: 'text' }, [
      stanza('enc', { v: '2', type: sealed.type }, unreadable ? randomBytes(64) : sealed.ciphertext),
    ]),
  )
  return id
}

/** Encrypts a file of the phone for its clients, as it is stored on the media host. */
export async function sealFile(content: Buffer, type: 'md-msg-hist' | 'md-app-state') {
  const mediaKey = randomBytes(32)
  const { iv, cipherKey, macKey } = await getMediaKeys(mediaKey, type)
  const cipher = createCipheriv('aes-256-cbc', cipherKey, iv)
  const encrypted = Buffer.concat([cipher.update(content), cipher.final()])
  const mac = createHmac('sha256', Buffer.from(macKey ?? []))
    .update(iv)
    .update(encrypted)
    .digest()
  return { mediaKey, file: Buffer.concat([encrypted, mac.subarray(0, 10)]) }
}
const sha256 = (content: Buffer) => createHash('sha256').update(content).digest()

/**
 * Sends a chunk of the phone's history: a notification that contains the chunk or names its place
 * on the media host. Resolves with the notification's id and the chunk's path.
 */
export async function sendHistory(
  contact: Contact,
  companion: Companion,
  chunk: HistoryChunk,
  { inline, host, now }: { inline: boolean; host: MediaHost; now: number },
): Promise<{ id: string; path: string | undefined }> {
  const { compressed } = historyChunk(chunk)
  const common = {
    syncType: chunk.type ?? proto.HistorySync.HistorySyncType.INITIAL_BOOTSTRAP,
    chunkOrder: 1,
    progress: 100,
  }
  const notice = (more: proto.Message.IHistorySyncNotification): proto.IMessage => ({
    protocolMessage: { type: HISTORY_SYNC_NOTIFICATION, historySyncNotification: { ...common, ...more } },
  })
  if (inline) {
    const id = await notifyCompanion(contact, companion, notice({ initialHistBootstrapInlinePayload: compressed }), now)
    return { id, path: undefined }
  }
  const { mediaKey, file } = await sealFile(compressed, 'md-msg-hist')
  const path = `/v/t62.7118-24/${randomUUID()}`
  host.put(path, file)
  const id = await notifyCompanion(
    contact,
    companion,
    notice({
      mediaKey,
      fileSha256: sha256(compressed),
      fileEncSha256: sha256(file),
      fileLength: compressed.length,
      directPath: path,
    }),
    now,
  )
  return { id, path }
}

/** Sends a newly linked client the phone's chats, with the tokens that these people issued. */
export function sendChats(companion: Companion, { host, now }: { host: MediaHost; now: number }) {
  const { contact } = companion
  const { account } = contact
  const chats = [...new Set([...account.chats, ...account.tokens.keys()])].map((other) => {
    const token = account.tokens.get(other)
    const [id, pnJid] = [jidOf(other, account.kind === 'migrated'), jidOf(other, false)]
    return {
      ...{ id, pnJid, lidJid: jidOf(other, true), lastMessageAt: Math.floor(now / 1000) },
      ...(token && { token: { bytes: token.bytes, at: Math.floor(token.at / 1000) } }),
    }
  })
  return sendHistory(contact, companion, { chats }, { inline: true, host, now })
}

/** Sends a client the key of the phone's settings, if there are settings. */
export async function shareSettingsKey(companion: Companion, now: number) {
  const { contact } = companion
  const { settings } = contact.account
  if (settings === undefined) return
  const { id, data } = settings.key
  const keys = [{ keyId: { keyId: id }, keyData: { keyData: data, timestamp: now } }]
  const content = { protocolMessage: { type: APP_STATE_SYNC_KEY_SHARE, appStateSyncKeyShare: { keys } } }
  await notifyCompanion(contact, companion, content, now)
}

/** Sends the LIDs of phone numbers, as a phone does when its account is migrated. */
export function sendMigration(contact: Contact, companion: Companion, people: Contact[], now: number) {
  const payload = proto.LIDMigrationMappingSyncPayload.encode({
    pnToLidMappings: people.map(({ number, lid }) => ({ pn: Number(number), assignedLid: Number(lid) })),
    chatDbMigrationTimestamp: Math.floor(now / 1000),
  }).finish()
  const content: proto.IMessage = {
    protocolMessage: {
      type: LID_MIGRATION_MAPPING_SYNC,
      lidMigrationMappingSyncMessage: { encodedMappingPayload: payload },
    },
  }
  return notifyCompanion(contact, companion, content, now)
}
