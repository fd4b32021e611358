import { normalizeMessageContent, type proto } from 'baileys'
import type { MediaHost } from './media-host.ts'
import { type MediaKind, openMedia } from './open-media.ts'

export interface ReceivedMedia {
  bytes: Buffer
  mimetype: string
  fileName?: string
  caption?: string
  ptt?: boolean
}

/** A message as its reader sees it. */
export interface Received {
  id: string
  from: string
  type: 'text' | MediaKind | 'other'
  text: string | undefined
  group?: string
  media?: ReceivedMedia
  /** Arrival at the server, in milliseconds since 1970. */
  at: number
  content: proto.IMessage
  /** Decrypted message with everything that wraps the content. */
  raw: proto.IMessage
}

const MEDIA_FIELDS = {
  imageMessage: 'image',
  videoMessage: 'video',
  audioMessage: 'audio',
  documentMessage: 'document',
} as const

/**
 * Reads a decrypted message. Media is fetched from the host, checked and decrypted, as a phone
 * does.
 */
export async function readMessage(
  { id, from, at, ...more }: { id: string; from: string; at: number; group?: string },
  raw: proto.IMessage,
  mediaHost: MediaHost,
): Promise<Received> {
  const envelope = { id, from, at, ...(more.group === undefined ? {} : { group: more.group }) }
  const content = normalizeMessageContent(raw) ?? raw
  for (const [field, type] of Object.entries(MEDIA_FIELDS)) {
    const part: MediaPart | null | undefined = content[field as keyof typeof MEDIA_FIELDS]
    if (!part) continue
    const media: ReceivedMedia = { bytes: await openMedia(part, type, mediaHost), mimetype: part.mimetype ?? '' }
    if (part.fileName) media.fileName = part.fileName
    if (part.caption) media.caption = part.caption
    if (part.ptt) media.ptt = true
    return { ...envelope, type, text: part.caption ?? undefined, media, content, raw }
  }
  const text = content.conversation ?? content.extendedTextMessage?.text ?? undefined
  return { ...envelope, type: text === undefined ? 'other' : 'text', text, content, raw }
}

type MediaPart = Partial<
  proto.Message.IImageMessage &
    proto.Message.IVideoMessage &
    proto.Message.IAudioMessage &
    proto.Message.IDocumentMessage
>
