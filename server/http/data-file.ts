import { setImmediate } from 'node:timers/promises'
import { ApiError } from '../contract/errors.ts'
import { fieldProblem, invalidRequest } from '../words/errors.ts'

/** Most bytes of a file that stands in a body itself. */
const MOST_OF_FILE = 8 * 1024 * 1024
/** Most bytes of a JSON body with such a file: base64 is a third longer. */
export const MOST_WITH_FILE = 12 * 1024 * 1024
/** Letters of base64 that are decoded at a time; the calls of others go on in between. */
const AT_A_STRETCH = 256 * 1024

// A body has one such file; the other places are texts, or files of other members.
const MOST_PLACES = 8
const BEGINNING = Buffer.from('"data:')
const FILE_MEMBER = /[{,]\s*"file"\s*:\s*$/
const HEAD = /^data:([\w.+-]+\/[\w.+-]+)?(;[\w.+-]+=[^;,]*)*;base64,/i
const LONGEST_HEAD = 256
/** As in `\u002B`, which is how .NET writes a plus. */
const LONGEST_ESCAPE = 6
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** A file as `data:` address. */
export interface DataFile {
  contentType: string | undefined
  content: AsyncIterable<Buffer>
}

/** A text of JSON, between its quotes. */
export interface Place {
  from: number
  to: number
}

/** Facts about a file, as its body tells them. */
export interface FileFacts {
  name: unknown
  type?: unknown
}

/** The way in which a body holds a file itself. */
export interface DataFileForm {
  /**
   * Places of JSON where it may be: JSON.parse would hold everybody up with the text of a large
   * file.
   */
  places(json: Buffer): Iterable<Place>
  /** True for the text of a form's field `file` that is the file, and no address. */
  isFile(text: Buffer): boolean
  /**
   * Reads what a body says of its file, in whose place `mark` stands; undefined: the text at this
   * place belongs to something else.
   * @throws ApiError
   */
  read(
    body: Record<string, unknown>,
    mark: string,
  ): (FileFacts & { withFile: (id: string) => Record<string, unknown> }) | undefined
}

const isDataAddress = (text: Buffer): boolean => /^\s*data:/i.test(text.toString('latin1', 0, 64))

/** As /send has it: `"file": "data:…"`. */
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

/** The texts of members of a name, of which a body has few. */
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
 * Opens a `data:` address (RFC 2397) with base64, or base64 alone, as it stands in JSON: with
 * escapes, in lines.
 * @throws ApiError; `content` too, in the middle
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

/** Text of a JSON string, without white space. */
function unescaped(json: string): string {
  try {
    return String(JSON.parse(`"${json.replace(/\s/g, '')}"`)).replace(/\s/g, '')
  } catch {
    return json
  }
}

/** The end of a stretch, before an escape that it would cut. */
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
    // A single letter at the end is no byte: others are missing.
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
