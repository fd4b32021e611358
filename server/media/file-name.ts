import { extensionOf, extensionsOf, type MediaKind, typeOfExtension } from './kind.ts'

const LONGEST_NAME = 120
/** Characters examined at the beginning of a name, and at its end, which has the extension. */
const LONGEST_LOOK = 500

// Types that say little about a file: an extension which is already there says more.
const VAGUE = new Set(['application/octet-stream', 'application/zip', 'application/x-cfb', 'text/plain'])

// The names of programs that make files, not of files: `invoice.php` is not what the customer gets.
const PROGRAMS = new Set(['php', 'asp', 'aspx', 'ashx', 'jsp', 'cgi', 'do', 'action'])

const PARAMETER = /;\s*([\w!#$&+.^`|~-]+\*?)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;"\s]*))/g

/** The names of a file, best first: Content-Disposition, then its URLs. All sanitised. */
export function namesOf(disposition: string | undefined, urls: readonly URL[]): string[] {
  const paths = urls.map((url) => decodePercent(url.pathname.split('/').at(-1) ?? ''))
  // A path with an extension names a file; one without (`/download/17`) is rather an address.
  paths.sort((a, b) => Number(extensionOf(b) !== undefined) - Number(extensionOf(a) !== undefined))
  return [dispositionName(disposition), ...paths].map((name) => sanitise(name ?? '')).filter((name) => name !== '')
}

/** The name under which the recipient sees the file, with an extension that fits its type. */
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

/** The file name of a Content-Disposition (RFC 6266); `filename*` goes before `filename`. */
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

/** Header values arrive as Latin-1, but many servers write raw UTF-8 into them. */
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

/** Expressions that trim take the square of a length. */
const shortened = (name: string): string =>
  name.length <= 2 * LONGEST_LOOK ? name : name.slice(0, LONGEST_LOOK) + name.slice(-LONGEST_LOOK)

/** The last part of a path, without control and direction characters. */
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
