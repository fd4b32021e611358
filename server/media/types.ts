/** The types that business files have, each with its extensions, the usual one first. */
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

// Other names for the same thing, from servers and from the sniffing library, as WhatsApp wants to
// hear them.
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

export const canonicalType = (mimetype: string): string => ALIASES[mimetype] ?? mimetype

/** The extension of a file name without its dot, as written; undefined if it has none. */
export const extensionOf = (fileName: string): string | undefined => /[^.]\.([a-z0-9]{1,10})$/i.exec(fileName)?.[1]
