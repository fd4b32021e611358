import { createHash, randomBytes } from 'node:crypto'
import { proto } from 'baileys'
import { SECOND } from '../../../lib/clock.ts'
import type { MediaFile } from '../../../media/fetch.ts'
import { mayBeOfOtherNumber } from '../../../messages/status.ts'
import type { Message } from '../../../store/index.ts'
import { audioSeconds, imagePreview, pdfPages } from '../media/preview.ts'
import type { Uploaded } from '../media/upload.ts'
import type { SendingContext } from './context.ts'

/** One stanza of a message. */
export interface Part {
  id: string
  content: proto.IMessage
}

/**
 * Returns the id of the text that goes before an audio: one bit of the last digit differs. The
 * function is its own inverse, so either id leads to the same row.
 */
export const twinId = (id: string): string => withOtherDigit(id, id.length - 1)

/**
 * Returns the id of the stanza that deletes another for everyone: one bit of the digit before the
 * last differs. The function is its own inverse.
 */
export const deletionId = (id: string): string => withOtherDigit(id, id.length - 2)

const withOtherDigit = (id: string, at: number): string =>
  id.slice(0, at) + (Number.parseInt(id.charAt(at), 16) ^ 8).toString(16).toUpperCase() + id.slice(at + 1)

/** Returns the message that deletes an earlier one. `inChat` adds the chat when it is written. */
export const deletionOf = (id: string): Part => ({
  id: deletionId(id),
  content: { protocolMessage: { key: { fromMe: true, id }, type: proto.Message.ProtocolMessage.Type.REVOKE } },
})

/**
 * Returns the attribute with which WhatsApp's clients mark a stanza that deletes an earlier one.
 */
export const editOf = ({ protocolMessage }: proto.IMessage): { edit?: string } => (protocolMessage ? { edit: '7' } : {})

/** Values of the attribute `mediatype`, as the library writes them. */
const MEDIA = {
  imageMessage: 'image',
  videoMessage: 'video',
  audioMessage: 'audio',
  documentMessage: 'document',
} as const

export const mediaTypeOf = (content: proto.IMessage): string | undefined =>
  Object.entries(MEDIA).find(([member]) => content[member as keyof typeof MEDIA] != null)?.[1]

/**
 * Adds the chat's jid, in the form in which the message is written, to a message about an earlier
 * one. Other content stays as it is. Pure.
 */
export function inChat(content: proto.IMessage, jid: string): proto.IMessage {
  const about = content.protocolMessage
  return about?.key ? { ...content, protocolMessage: { ...about, key: { ...about.key, remoteJid: jid } } } : content
}

/**
 * Composes a text. Pure: depends on the row and the chat's timer alone, so every attempt has the
 * same content under the same id.
 * @param timer seconds after which the chat's messages disappear; null: they stay
 */
export function textContent(message: Message, id: string, timer: number | null): proto.IMessage {
  const messageSecret = createHash('sha256').update(`${message.id} ${id}`).digest()
  return {
    extendedTextMessage: {
      text: message.body ?? '',
      ...(timer === null ? {} : { contextInfo: { expiration: timer } }),
    },
    messageContextInfo: { messageSecret },
  }
}

/**
 * Encodes a disappearing text for storage, because the chat's timer may change before somebody asks
 * for the message again.
 */
export const encodedText = (message: Message, id: string, timer: number): Uint8Array =>
  proto.Message.encode(textContent(message, id, timer)).finish()

/**
 * Returns the stanzas of a message in sending order; empty if the stored content of its file is
 * missing.
 * @param stored content that WhatsApp was given; always stored for a file, otherwise only for a
 *   message that disappears
 */
export function partsOf(message: Message, id: string, stored: Uint8Array | undefined): Part[] {
  if (stored === undefined) return message.file === null ? [{ id, content: textContent(message, id, null) }] : []
  const content = proto.Message.decode(stored)
  const media = { id, content }
  const hasText = (message.body ?? '') !== ''
  if (!content.audioMessage || !hasText) return [media]
  const text = twinId(id)
  const timer = content.audioMessage.contextInfo?.expiration ?? null
  return [{ id: text, content: textContent(message, text, timer) }, media]
}

/** Resolves with the preview that the recipient sees before the file has loaded. */
async function previewOf({ path, kind, mimetype }: MediaFile): Promise<Partial<proto.Message.IImageMessage>> {
  const preview = kind === 'image' ? await imagePreview(path, mimetype) : null
  return preview === null ? {} : { jpegThumbnail: preview.jpeg, width: preview.width, height: preview.height }
}

/**
 * Resolves with the encoded content that says where a file lies. Must be stored, because another
 * upload has other keys.
 */
export async function mediaContent(
  file: MediaFile,
  uploaded: Uploaded,
  { caption, timer, now }: { caption: string | null; timer: number | null; now: number },
): Promise<Uint8Array> {
  const { path, kind, mimetype, fileName } = file
  const media = { ...uploaded, mimetype, mediaKeyTimestamp: Math.floor(now / SECOND) }
  const text = caption ? { caption } : {}
  const content: proto.IMessage = { messageContextInfo: { messageSecret: randomBytes(32) } }
  if (kind === 'image') content.imageMessage = { ...media, ...text, ...(await previewOf(file)) }
  if (kind === 'video') content.videoMessage = { ...media, ...text }
  if (kind === 'audio') {
    const seconds = await audioSeconds(path, mimetype)
    content.audioMessage = { ...media, ptt: false, ...(seconds === 0 ? {} : { seconds }) }
  }
  if (kind === 'document') {
    const pages = mimetype === 'application/pdf' ? await pdfPages(path) : undefined
    content.documentMessage = { ...media, fileName, ...text, ...(pages === undefined ? {} : { pageCount: pages }) }
  }
  if (timer !== null) disappearing(content, timer)
  return proto.Message.encode(content).finish()
}

function disappearing(content: proto.IMessage, timer: number): void {
  const { imageMessage, videoMessage, audioMessage, documentMessage } = content
  for (const part of [imageMessage, videoMessage, audioMessage, documentMessage]) {
    if (part) part.contextInfo = { ...part.contextInfo, expiration: timer }
  }
}

/**
 * Resolves with the content of a message, or of its deletion, for a recipient that could not read
 * it and asks again, perhaps days later and under the number or LID of that time. Who asks is not
 * checked, because only those who got the message, and this account's devices, know its id (72
 * random bits). Undefined for a message that was deleted for everyone or sent by another number.
 */
export async function contentAgain(
  context: SendingContext,
  providerMessageId: string,
  chat: string,
): Promise<proto.IMessage | undefined> {
  const { events } = context.store
  const part = await partOf(context, providerMessageId)
  if (part !== undefined) {
    const isDeleted = (await events.ofMessage(part.seq)).some(({ type }) => type === 'message.revoked')
    return isDeleted ? undefined : part.content
  }
  const deleted = await partOf(context, deletionId(providerMessageId))
  return deleted && inChat(deletionOf(deleted.id).content, chat)
}

/** Resolves with the stanza that this number wrote under this id, and its message's `seq`. */
async function partOf(
  { senderId, store: { messages, senders } }: SendingContext,
  providerMessageId: string,
): Promise<(Part & { seq: number }) | undefined> {
  for (const id of [providerMessageId, twinId(providerMessageId)]) {
    const message = await messages.find({ providerMessageId: id, senderId })
    if (message === undefined) continue
    const { seq } = message
    const part = partsOf(message, id, await messages.content(seq)).find((one) => one.id === providerMessageId)
    if (part === undefined || mayBeOfOtherNumber(await messages.attempts(seq), senders.get(senderId))) continue
    return { ...part, seq }
  }
  return undefined
}
