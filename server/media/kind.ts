/** Types of common business files with their extensions, the usual extension first. */
const TYPES: Record<string, readonly string[]> = {
  'application/pdf': ['pdf'],
  'application/msword': ['doc'],
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': ['docx'],
  'application/vnd.ms-excel': ['xls'],
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': ['xlsx'],
  'application/vnd.ms-powerpoint': ['ppt'],
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': ['pptx'],
  'application/vnd.oasis.opendocument.text': ['odt'],
  'application/vnd.oasis.opendocument.spreadsheet': ['ods'],
  'application/vnd.oasis.opendocument.presentation': ['odp'],
  'application/rtf': ['rtf'],
  'application/zip': ['zip'],
  'application/vnd.rar': ['rar'],
  'application/x-7z-compressed': ['7z'],
  'application/gzip': ['gz'],
  'application/json': ['json'],
  'application/xml': ['xml'],
  'application/epub+zip': ['epub'],
  'application/vnd.android.package-archive': ['apk'],
  'text/plain': ['txt'],
  'text/csv': ['csv'],
  'text/html': ['html', 'htm'],
  'text/calendar': ['ics'],
  'text/vcard': ['vcf'],
  'image/jpeg': ['jpg', 'jpeg'],
  'image/png': ['png'],
  'image/webp': ['webp'],
  'image/gif': ['gif'],
  'image/bmp': ['bmp'],
  'image/tiff': ['tiff', 'tif'],
  'image/heic': ['heic'],
  'image/svg+xml': ['svg'],
  'video/mp4': ['mp4', 'm4v'],
  'video/3gpp': ['3gp'],
  'video/quicktime': ['mov'],
  'video/webm': ['webm'],
  'video/x-msvideo': ['avi'],
  'video/matroska': ['mkv'],
  'audio/mpeg': ['mp3'],
  'audio/mp4': ['m4a'],
  'audio/aac': ['aac'],
  'audio/amr': ['amr'],
  'audio/ogg; codecs=opus': ['ogg', 'opus', 'oga'],
  'audio/ogg': ['ogg', 'oga'],
  'audio/wav': ['wav'],
  'audio/flac': ['flac'],
}

// Other names of types, as servers and the sniffing library give them, with the names that WhatsApp
// expects.
const ALIASES: Record<string, string> = {
  'image/jpg': 'image/jpeg',
  'image/apng': 'image/png',
  'video/x-m4v': 'video/mp4',
  'audio/x-m4a': 'audio/mp4',
  'audio/m4a': 'audio/mp4',
  'audio/mp3': 'audio/mpeg',
  'text/xml': 'application/xml',
  'text/rtf': 'application/rtf',
  'application/csv': 'text/csv',
}

const BY_EXTENSION = new Map<string, string>()
for (const [mimetype, extensions] of Object.entries(TYPES)) {
  for (const extension of extensions) {
    if (!BY_EXTENSION.has(extension)) BY_EXTENSION.set(extension, mimetype)
  }
}

export const typeOfExtension = (extension: string): string | undefined => BY_EXTENSION.get(extension.toLowerCase())

export const extensionsOf = (mimetype: string): readonly string[] => TYPES[mimetype] ?? []

const canonicalType = (mimetype: string): string => ALIASES[mimetype] ?? mimetype

/** Returns the extension of a file name without the dot, as written; undefined: none. */
export const extensionOf = (fileName: string): string | undefined => /[^.]\.([a-z0-9]{1,10})$/i.exec(fileName)?.[1]

export type MediaKind = 'image' | 'video' | 'audio' | 'document'

const MB = 1024 * 1024

/** Largest file of each kind that WhatsApp accepts, in bytes. */
export const CAPS: Record<MediaKind, number> = { image: 16 * MB, video: 64 * MB, audio: 16 * MB, document: 100 * MB }
export const LARGEST_FILE = Math.max(...Object.values(CAPS))

// WhatsApp's clients show or play these types in the chat. Any other type would arrive broken, so
// it is sent as a document.
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

// Container types whose first bytes say less than the server or the file name. A claimed type that
// matches the expression replaces the sniffed type.
const REFINEMENTS: Record<string, RegExp> = {
  'text/plain': /^text\/|[/+](json|xml|yaml|javascript|rtf)$/,
  'application/xml': /\+xml$/,
  'application/zip': /^application\/(vnd\.|epub\+zip|java-archive)/,
  'application/x-cfb': /^application\/(msword|vnd\.ms-)/,
  'video/mp4': /^audio\/mp4$/,
}

export const kindOf = (mimetype: string): MediaKind => KINDS[mimetype] ?? 'document'

/**
 * Resolves with the MIME type of a file by its first bytes, else by the Content-Type header, else
 * by the extension of its name.
 * @param head the first 64 KiB, or the whole file if it is shorter
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

/** Returns the text if the bytes are UTF-8 without control characters: text has no magic bytes. */
function asText(head: Uint8Array): string | undefined {
  try {
    // `stream` permits a character that is cut at the end of the head.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they tell binary from text
    return /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

/** Returns the type in a Content-Type; undefined for types that say nothing, as octet-stream. */
function headerType(contentType: string | undefined): string | undefined {
  const type = /^\s*([\w.+-]+\/[\w.+-]+)/.exec(contentType ?? '')?.[1]?.toLowerCase()
  if (type === undefined || /\/(octet-stream|x-download|force-download|x-unknown)$/.test(type)) return undefined
  return type === 'audio/ogg' && /codecs="?opus/i.test(contentType ?? '') ? 'audio/ogg; codecs=opus' : type
}
