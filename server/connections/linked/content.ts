import { createHash } from 'node:crypto'
import { generateWAMessageContent, proto, type WAMediaUpload, type WASocket } from 'baileys'
import type { MediaFile } from '../../media/fetch.ts'
import type { Message } from '../../store/index.ts'
import { audioSeconds } from './audio-duration.ts'
import { pdfPages } from './pdf-pages.ts'
import { imagePreview } from './preview.ts'

/** One stanza of a message. */
export interface Part {
  id: string
  content: proto.IMessage
}

/**
 * The id of the text that goes before an audio: its last digit differs from the audio's in one bit. The way there is the
 * way back, so that a question about either leads to the same row.
 */
export const twinId = (id: string): string =>
  id.slice(0, -1) + (Number.parseInt(id.slice(-1), 16) ^ 8).toString(16).toUpperCase()

/** A pure function of the row, so that every attempt says the same thing under the same id and nothing must be kept. */
export function textContent(message: Message, id: string): proto.IMessage {
  const messageSecret = createHash('sha256').update(`${message.id} ${id}`).digest()
  return { extendedTextMessage: { text: message.body ?? '' }, messageContextInfo: { messageSecret } }
}

/** The stanzas of a message, in the order they are sent. `stored` is what `mediaContent` once made of its file. */
export function partsOf(message: Message, id: string, stored: Uint8Array | undefined): Part[] {
  if (message.file === null) return [{ id, content: textContent(message, id) }]
  if (stored === undefined) return []
  const content = proto.Message.decode(stored)
  const media = { id, content }
  const hasText = (message.body ?? '') !== ''
  const text = twinId(id)
  return content.audioMessage && hasText ? [{ id: text, content: textContent(message, text) }, media] : [media]
}

/** What the recipient sees before the file is there. */
async function previewOf({ path, kind, mimetype }: MediaFile): Promise<Partial<proto.Message.IImageMessage>> {
  const preview = kind === 'image' ? await imagePreview(path, mimetype) : null
  return preview === null ? {} : { jpegThumbnail: preview.jpeg, width: preview.width, height: preview.height }
}

/** Encrypts and uploads a file. What comes out must be kept: doing it again would give other keys. */
export async function mediaContent(sock: WASocket, file: MediaFile, caption: string | null): Promise<Uint8Array> {
  const media: WAMediaUpload = { url: file.path }
  const { mimetype, fileName } = file
  const text = caption ? { caption } : {}
  // Without these the library would look for other programs to make previews, and parse audio without a bound.
  const bare = { jpegThumbnail: '' }
  const seconds = file.kind === 'audio' ? await audioSeconds(file.path, mimetype) : 0
  const content = await generateWAMessageContent(
    {
      image: { image: media, mimetype, ...text, ...bare },
      video: { video: media, mimetype, ...text, ...bare },
      audio: { audio: media, mimetype, ptt: false, seconds },
      document: { document: media, mimetype, fileName, ...text },
    }[file.kind],
    { upload: sock.waUploadToServer, mediaUploadTimeoutMs: 10 * 60_000 },
  )
  for (const part of [content.imageMessage, content.videoMessage]) if (part) delete part.jpegThumbnail
  if (content.imageMessage) Object.assign(content.imageMessage, await previewOf(file))
  const pages = mimetype === 'application/pdf' ? await pdfPages(file.path) : undefined
  if (content.documentMessage && pages !== undefined) content.documentMessage.pageCount = pages
  if (content.audioMessage && seconds === 0) delete content.audioMessage.seconds
  return proto.Message.encode(content).finish()
}
