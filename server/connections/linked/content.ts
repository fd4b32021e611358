import { createHash } from 'node:crypto'
import { generateWAMessageContent, proto, type WAMediaUpload, type WASocket } from 'baileys'
import type { MediaFile } from '../../media/fetch.ts'
import type { Message } from '../../store/index.ts'

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

/** Encrypts and uploads a file. What comes out must be kept: doing it again would give other keys. */
export async function mediaContent(sock: WASocket, file: MediaFile, caption: string | null): Promise<Uint8Array> {
  const media: WAMediaUpload = { url: file.path }
  const { mimetype, fileName } = file
  const text = caption ? { caption } : {}
  // No preview pictures: the library would run other programs to make them.
  const bare = { jpegThumbnail: '' }
  const content = await generateWAMessageContent(
    {
      image: { image: media, mimetype, ...text, ...bare },
      video: { video: media, mimetype, ...text, ...bare },
      audio: { audio: media, mimetype, ptt: false },
      document: { document: media, mimetype, fileName, ...text },
    }[file.kind],
    { upload: sock.waUploadToServer, mediaUploadTimeoutMs: 10 * 60_000 },
  )
  for (const part of [content.imageMessage, content.videoMessage]) if (part) delete part.jpegThumbnail
  return proto.Message.encode(content).finish()
}
