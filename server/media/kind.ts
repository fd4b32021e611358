import { canonicalType, extensionOf, typeOfExtension } from './types.ts'

export type MediaKind = 'image' | 'video' | 'audio' | 'document'

const MB = 1024 * 1024

/** The most bytes that WhatsApp takes of each kind. */
export const CAPS: Record<MediaKind, number> = { image: 16 * MB, video: 64 * MB, audio: 16 * MB, document: 100 * MB }
export const LARGEST_FILE = Math.max(...Object.values(CAPS))

// WhatsApp's clients show or play these in the chat. Anything else would arrive broken, so it
// travels as a document.
const KINDS: Record<string, MediaKind> = {
  'image/jpeg': 'image',
  'image/png': 'image',
  'image/webp': 'image',
  'video/mp4': 'video',
  'video/3gpp': 'video',
  'audio/ogg; codecs=opus': 'audio',
  'audio/mpeg': 'audio',
  'audio/mp4': 'audio',
  'audio/aac': 'audio',
  'audio/amr': 'audio',
}

// Containers whose content says less than the server or the file name: a claim of this shape makes
// the type more exact.
const REFINEMENTS: Record<string, RegExp> = {
  'text/plain': /^text\/|[/+](json|xml|yaml|javascript|rtf)$/,
  'application/xml': /\+xml$/,
  'application/zip': /^application\/(vnd\.|epub\+zip|java-archive)/,
  'application/x-cfb': /^application\/(msword|vnd\.ms-)/,
  'video/mp4': /^audio\/mp4$/,
}

export const kindOf = (mimetype: string): MediaKind => KINDS[mimetype] ?? 'document'

/**
 * The MIME type of a file: by its first bytes, else by the Content-Type header, else by the
 * extension of its name. `head` should hold 64 KiB, or the whole file if it is shorter.
 */
export async function decideType(
  head: Uint8Array,
  contentType: string | undefined,
  names: readonly string[],
): Promise<string> {
  const claims = [headerType(contentType), ...names.map((name) => typeOfExtension(extensionOf(name) ?? ''))]
    .filter((type) => type !== undefined)
    .map(canonicalType)
  const seen = await sniff(head)
  if (seen === undefined) return claims[0] ?? 'application/octet-stream'
  return claims.find((claim) => REFINEMENTS[seen]?.test(claim)) ?? seen
}

async function sniff(head: Uint8Array): Promise<string | undefined> {
  const { fileTypeFromBuffer } = await import('file-type')
  const found = await fileTypeFromBuffer(head)
  if (found !== undefined && found.mime !== 'application/xml') return canonicalType(found.mime)
  const text = asText(head)
  if (text === undefined) return found?.mime
  if (/<svg[\s>]/i.test(text.slice(0, 4096)) && /^\s*</.test(text)) return 'image/svg+xml'
  if (/^\s*(<!doctype html|<html|<head|<body)/i.test(text)) return 'text/html'
  return found?.mime ?? 'text/plain'
}

/** Text has no magic bytes; it is valid UTF-8 without control characters. */
function asText(head: Uint8Array): string | undefined {
  try {
    // `stream` forgives a character that the end of the head cuts in two.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they tell binary from text
    return /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

/** The type of a Content-Type, unless it says nothing (`application/octet-stream`). */
function headerType(contentType: string | undefined): string | undefined {
  const type = /^\s*([\w.+-]+\/[\w.+-]+)/.exec(contentType ?? '')?.[1]?.toLowerCase()
  if (type === undefined || /\/(octet-stream|x-download|force-download|x-unknown)$/.test(type)) return undefined
  return type === 'audio/ogg' && /codecs="?opus/i.test(contentType ?? '') ? 'audio/ogg; codecs=opus' : type
}
