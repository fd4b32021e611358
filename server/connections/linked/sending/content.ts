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
 * The id of the text that goes before an audio: its last digit differs from the audio's in one bit.
 * It is its own inverse, so that a question about either leads to the same row.
 */
export const twinId = (id: string): string => withOtherDigit(id, id.length - 1)

/**
 * The id under which a stanza is deleted for everyone: the digit before the last differs, and the
 * way there is the way back.
 */
export const deletionId = (id: string): string => withOtherDigit(id, id.length - 2)

const withOtherDigit = (id: string, at: number): string =>
  id.slice(0, at) + (Number.parseInt(id.charAt(at), 16) ^ 8).toString(16).toUpperCase() + id.slice(at + 1)

/**
 * WhatsApp deletes by a message of its own, about an earlier one. It names the chat when it is
 * written.
 */
export const deletionOf = (id: string): Part => ({
  id: deletionId(id),
  content: { protocolMessage: { key: { fromMe: true, id }, type: proto.Message.ProtocolMessage.Type.REVOKE } },
})

/** Mark of a stanza that deletes an earlier one, as WhatsApp's clients write it. */
export const editOf = ({ protocolMessage }: proto.IMessage): { edit?: string } => (protocolMessage ? { edit: '7' } : {})

/** The name of a file's kind beside its copy, as the library writes it with the first one. */
const MEDIA = {
  imageMessage: 'image',
  videoMessage: 'video',
  audioMessage: 'audio',
  documentMessage: 'document',
} as const

export const mediaTypeOf = (content: proto.IMessage): string | undefined =>
  Object.entries(MEDIA).find(([member]) => content[member as keyof typeof MEDIA] != null)?.[1]

/** A message about an earlier one names the chat in the form in which it is written. Pure. */
export function inChat(content: proto.IMessage, jid: string): proto.IMessage {
  const about = content.protocolMessage
  return about?.key ? { ...content, protocolMessage: { ...about, key: { ...about.key, remoteJid: jid } } } : content
}

/**
 * A pure function of the row and of the chat's timer, so that every attempt says the same thing
 * under the same id.
 * @param timer the messages of the chat disappear after so many seconds; null: they stay
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
 * Encodes a message that disappears: its chat's timer may change before somebody asks for it again.
 */
export const encodedText = (message: Message, id: string, timer: number): Uint8Array =>
  proto.Message.encode(textContent(message, id, timer)).finish()

/**
 * The stanzas of a message, in the order they are sent. `stored` is what WhatsApp was given of it:
 * always where there is a file, otherwise only where it disappears.
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

/** Preview that the recipient sees before the file is there. */
async function previewOf({ path, kind, mimetype }: MediaFile): Promise<Partial<proto.Message.IImageMessage>> {
  const preview = kind === 'image' ? await imagePreview(path, mimetype) : null
  return preview === null ? {} : { jpegThumbnail: preview.jpeg, width: preview.width, height: preview.height }
}

/** Content that says where a file lies. It must be kept: another upload has other keys. */
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
 * A recipient could not read a message, or that one is deleted, and asks for it again, perhaps days
 * later, by a number or a LID of then. Who asks is not compared: only those who got the message,
 * and the devices of this account, know its id (72 random bits). A message that was deleted for
 * everyone, or sent by another number, is not given out any more.
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

/** The stanza with this id, as this number wrote it, and its message. */
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
