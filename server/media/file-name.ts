import { extensionOf, extensionsOf, type MediaKind, typeOfExtension } from './kind.ts'

const LONGEST_NAME = 120
/** Number of characters that are kept of each end of a long name; the extension is at its end. */
const LONGEST_LOOK = 500

// Types that say little about a file, so that an existing extension says more.
const VAGUE = new Set(['application/octet-stream', 'application/zip', 'application/x-cfb', 'text/plain'])

// Extensions of programs that generate files: a customer does not get `invoice.php`.
const PROGRAMS = new Set(['php', 'asp', 'aspx', 'ashx', 'jsp', 'cgi', 'do', 'action'])

const PARAMETER = /;\s*([\w!#$&+.^`|~-]+\*?)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;"\s]*))/g

/** Returns the names of a file, sanitised, best first: Content-Disposition, then its URLs. */
export function namesOf(disposition: string | undefined, urls: readonly URL[]): string[] {
  const paths = urls.map((url) => decodePercent(url.pathname.split('/').at(-1) ?? ''))
  // A path with an extension is likely a file name, unlike a path such as `/download/17`.
  paths.sort((a, b) => Number(extensionOf(b) !== undefined) - Number(extensionOf(a) !== undefined))
  return [dispositionName(disposition), ...paths].map((name) => sanitise(name ?? '')).filter((name) => name !== '')
}

/** Returns the file name that the recipient sees, with an extension that fits the type. */
export function fileNameFor(name: string | undefined, mimetype: string, kind: MediaKind): string {
  const wanted = extensionsOf(mimetype)[0]
  const suffix = wanted === undefined ? '' : `.${wanted}`
  if (name === undefined) return `${kind}${suffix}`
  const extension = extensionOf(name)?.toLowerCase()
  if (extension === undefined || wanted === undefined) return name + (extension === undefined ? suffix : '')
  if (extensionsOf(mimetype).includes(extension)) return name
  if (PROGRAMS.has(extension)) return name.slice(0, -extension.length - 1) + suffix
  if (VAGUE.has(mimetype)) return name
  return (typeOfExtension(extension) === undefined ? name : name.slice(0, -extension.length - 1)) + suffix
}

/** Returns the file name in a Content-Disposition (RFC 6266); `filename*` beats `filename`. */
export function dispositionName(header: string | undefined): string | undefined {
  const parameters = new Map<string, string>()
  for (const [, name = '', quoted, plain] of (header ?? '').matchAll(PARAMETER)) {
    parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '')
  }
  const plain = parameters.get('filename')
  return decodeExtended(parameters.get('filename*')) ?? (plain === undefined ? undefined : decodePercent(asUtf8(plain)))
}

function decodeExtended(value: string | undefined): string | undefined {
  const [, charset = '', text = ''] = /^([\w-]+)'[^']*'(.*)$/.exec(value ?? '') ?? []
  if (!/^(utf-8|iso-8859-1)$/i.test(charset)) return undefined
  const bytes = Buffer.from(
    text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  )
  return new TextDecoder(charset).decode(bytes)
}

/** Decodes a header value as UTF-8 if it is valid. Headers are Latin-1, but many servers differ. */
function asUtf8(value: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'))
  } catch {
    return value
  }
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Drops the middle of a long name, because the regular expressions that trim it are quadratic. */
const shortened = (name: string): string =>
  name.length <= 2 * LONGEST_LOOK ? name : name.slice(0, LONGEST_LOOK) + name.slice(-LONGEST_LOOK)

/** Returns the last part of a path, without control and direction characters. */
export function sanitise(name: string): string {
  const clean = shortened(name.split(/[/\\]/).at(-1) ?? '')
    .normalize('NFC')
    .toWellFormed()
    .replace(/[\p{Cc}\p{Co}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffd]/gu, '')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|(?<![. ])[. ]+$/g, '')
  const extension = extensionOf(clean)
  const suffix = extension === undefined ? '' : `.${extension}`
  const base = suffix === '' ? clean : clean.slice(0, -suffix.length)
  return [...base].slice(0, LONGEST_NAME - suffix.length).join('') + suffix
}
