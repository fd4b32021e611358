import { setImmediate } from 'node:timers/promises'
import { ApiError } from '../contract/errors.ts'
import { fieldProblem, invalidRequest } from '../words/errors.ts'

/** Most bytes of a file inside a body. */
const MOST_OF_FILE = 8 * 1024 * 1024
/** Most bytes of a body with such a file: base64 is a third longer than the file. */
export const MOST_WITH_FILE = 12 * 1024 * 1024
/** Base64 characters that are decoded at a time. Other calls run in between. */
const AT_A_STRETCH = 256 * 1024

// Most places that are tried. A body has one such file; other places belong to other members.
const MOST_PLACES = 8
const BEGINNING = Buffer.from('"data:')
const FILE_MEMBER = /[{,]\s*"file"\s*:\s*$/
const HEAD = /^data:([\w.+-]+\/[\w.+-]+)?(;[\w.+-]+=[^;,]*)*;base64,/i
const LONGEST_HEAD = 256
/** Characters of an escape such as `\u002B`, which .NET writes for a plus. */
const LONGEST_ESCAPE = 6
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** A file that is decoded from base64. */
export interface DataFile {
  contentType: string | undefined
  content: AsyncIterable<Buffer>
}

/** Position of a string in JSON text, between its quotes. Bytes. */
export interface Place {
  from: number
  to: number
}

export interface FileFacts {
  name: unknown
  type?: unknown
}

/** How bodies of a route can contain a file. */
export interface DataFileForm {
  /**
   * Yields places in JSON text where the file may be. Searches the bytes, because JSON.parse of a
   * large file's text would block all other calls.
   */
  places(json: Buffer): Iterable<Place>
  /** True if the text of a form's field `file` is the file itself, not an address. */
  isFile(text: Buffer): boolean
  /**
   * Returns the facts about the file that `mark` replaces in the body. Undefined: the replaced text
   * belongs to another member.
   * @throws ApiError
   */
  read(
    body: Record<string, unknown>,
    mark: string,
  ): (FileFacts & { withFile: (id: string) => Record<string, unknown> }) | undefined
}

const isDataAddress = (text: Buffer): boolean => /^\s*data:/i.test(text.toString('latin1', 0, 64))

/** The form of /send: `"file": "data:…"`. */
export const SEND_FORM: DataFileForm = {
  places: placesOfAddress,
  isFile: isDataAddress,
  read({ file, ...others }, mark) {
    if (file !== mark) return undefined
    if (others.file_id != null) throw invalidRequest([fieldProblem('file_id', 'not_together', { other: 'file' })])
    return { name: others.filename, withFile: (id) => ({ ...others, file_id: id }) }
  },
}

function* placesOfAddress(json: Buffer): Generator<Place> {
  let at = json.indexOf(BEGINNING)
  for (let places = 0; at >= 0 && places < MOST_PLACES; places += 1) {
    const from = at + 1
    if (FILE_MEMBER.test(json.toString('latin1', Math.max(0, at - 64), at))) {
      const to = json.indexOf('"', from)
      if (to >= 0) yield { from, to }
    }
    at = json.indexOf(BEGINNING, from)
  }
}

/** Yields the strings of members with this name, at most MOST_PLACES. */
export function* placesOfMember(json: Buffer, name: string): Generator<Place> {
  const quoted = Buffer.from(JSON.stringify(name))
  let at = json.indexOf(quoted)
  for (let places = 0; at >= 0 && places < MOST_PLACES; places += 1) {
    const end = at + quoted.length
    const colon = /^\s*:\s*"/.exec(json.toString('latin1', end, end + 64))?.[0]
    const from = end + (colon?.length ?? 0)
    const to = colon === undefined ? -1 : json.indexOf('"', from)
    if (to >= 0) yield { from, to }
    at = json.indexOf(quoted, from)
  }
}

/**
 * Decodes a `data:` address (RFC 2397) with base64, or base64 alone. `address` is JSON text: it may
 * contain escapes and line breaks.
 * @throws ApiError. Reading `content` can throw it too.
 */
export function openDataFile(address: Buffer): DataFile {
  if (!isDataAddress(address)) {
    return { contentType: undefined, content: decoded(address) }
  }
  const comma = address.indexOf(',')
  const head = unescaped(address.toString('latin1', 0, Math.min(comma + 1, LONGEST_HEAD)))
  const [all, contentType] = HEAD.exec(head) ?? []
  if (all === undefined)
    throw invalidRequest([fieldProblem('file', 'wrong_form', { example: 'data:application/pdf;base64,JVBERi0…' })])
  return { contentType, content: decoded(address.subarray(comma + 1)) }
}

/** Decodes the escapes of JSON text and removes white space. */
function unescaped(json: string): string {
  try {
    return String(JSON.parse(`"${json.replace(/\s/g, '')}"`)).replace(/\s/g, '')
  } catch {
    return json
  }
}

/** Returns the end of a stretch, moved to before an escape that it would cut. */
function endOf(letters: Buffer, at: number): number {
  const end = at + AT_A_STRETCH
  if (end >= letters.length) return letters.length
  const cut = letters.subarray(end - LONGEST_ESCAPE, end).indexOf('\\')
  return cut < 0 ? end : end - LONGEST_ESCAPE + cut
}

async function* decoded(letters: Buffer): AsyncGenerator<Buffer> {
  let text = ''
  let size = 0
  for (let at = 0, end = 0; at < letters.length; at = end) {
    end = endOf(letters, at)
    text += unescaped(letters.toString('latin1', at, end))
    const part = end < letters.length ? text.slice(0, text.length - (text.length % 4)) : text
    text = text.slice(part.length)
    // One character alone at the end encodes no byte: others are missing.
    if (!BASE64.test(part) || part.length % 4 === 1) throw invalidRequest([{ field: 'file', message: 'is not base64' }])
    const bytes = Buffer.from(part, 'base64')
    size += bytes.length
    if (size > MOST_OF_FILE)
      throw new ApiError(
        'payload_too_large',
        `A file in the body may have ${MOST_OF_FILE / 1024 ** 2} MB. Send a larger one to /files first.`,
      )
    yield bytes
    await setImmediate()
  }
}
