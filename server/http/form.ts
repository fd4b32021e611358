import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { finished, type Readable } from 'node:stream'
import { setTimeout as pauseOf } from 'node:timers/promises'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { type Caller, type KnownCaller, keyOf } from '../access/caller.ts'
import { ApiError } from '../contract/errors.ts'
import { charsetOf, decodeText } from '../lib/charset.ts'
import { watchBody } from '../lib/proof.ts'
import { hangUpAfter } from '../lib/read-body.ts'
import { urlEncodedPairs } from '../lib/url-encoded.ts'
import { withoutNul } from '../lib/without-nul.ts'
import { LARGEST_FILE } from '../media/kind.ts'
import { SENT_ALONG_FOR, type UploadRow, type Uploads } from '../media/uploads.ts'
import { fieldProblem, invalidRequest } from '../words/errors.ts'
import {
  type BodyReader,
  createBodyShares,
  decodeBody,
  IDLE_MS,
  notWhole,
  parseJson,
  readJson,
  refuseMuchJson,
  refuseTooLong,
  tooMuchAtOnce,
} from './body.ts'
import { openDataFile, placesOfDataFile } from './data-file.ts'
import { readWhole } from './read-whole.ts'

/** The fields of a form, and what became of its file. */
export interface Form<F> {
  fields: ReadonlyMap<string, string>
  /** Charset that the fields were read as, where none was named and they are not UTF-8. */
  assumedCharset: string | null
  file: F | undefined
}

export interface FormFile {
  name: string | undefined
  contentType: string | undefined
  content: AsyncIterable<Buffer>
}

/** A body that is more than JSON. */
export interface FormBody {
  /** The members, as JSON would have brought them; the file by its `file_id`. */
  body: unknown
  /**
   * The same text for the same form: with the file's hash, which does not change when it is sent
   * again.
   */
  raw: Buffer
  assumedCharset: string | null
  /** Forgets its file, unless a message has it. */
  discard(): Promise<void>
}

export interface FormReader {
  /** True if this body is a form; others are JSON. */
  takes(req: IncomingMessage): boolean
  read(req: IncomingMessage, caller: KnownCaller): Promise<FormBody>
  /**
   * Reads a form without a file, or JSON, of somebody whose key is one of its members.
   * @throws ApiError
   */
  readOfUnknown(req: IncomingMessage): Promise<FormBody>
  /** Keeps the file that stands in a JSON body itself; undefined: none does. */
  readDataFile(json: Buffer, contentType: string | undefined, caller: KnownCaller): Promise<FormBody | undefined>
}

const NOBODY: Caller = { kind: 'anonymous' }

/** The part that holds the file. */
const FILE = 'file'
const BYTES = 'application/octet-stream'
// A part that names no type has it.
const TEXT = 'text/plain'
/** Stands for the file of a JSON body while that is read; no caller knows it. */
const DATA = `data:${randomUUID()}`
const LONGEST_FIELD = 512 * 1024
const MOST_FIELDS = 50
const LIMITS = { parts: MOST_FIELDS + 1, fieldNameSize: 64, headerPairs: 20 }
/**
 * Most bytes of a form without its file. A percent-encoded text of 65,536 characters has 576 KiB.
 */
const MOST_BESIDE_FILE = 1024 * 1024
/** Most bytes of a form with its file. */
const MOST_OF_FORM = LARGEST_FILE + MOST_BESIDE_FILE
const NUMBERS = new Set(['delay', 'ttl'])

export const isForm = (req: IncomingMessage): boolean =>
  /^multipart\/form-data\b/i.test(req.headers['content-type'] ?? '')

const unreadable = () =>
  new ApiError('invalid_request', 'The form could not be read: it is cut off, or its boundary is wrong.')

const withoutName = () =>
  new ApiError(
    'invalid_request',
    'A part of the form has no name. Write one: Content-Disposition: form-data; name="…".',
  )

/** Room of one caller for what is on its way of its forms, without their files. */
interface FormRoom {
  /** False: there is not enough left. */
  take(bytes: number): boolean
  give(bytes: number): void
  /** How long it waits after so many bytes. Milliseconds. */
  pace(bytes: number): number
  /** Counts what a form took of the event loop when it was read. Milliseconds. */
  worked(ms: number): void
}

export type FormRooms = (caller: Caller) => FormRoom

/**
 * Bounds the forms of one caller that are on their way, like other bodies, and at the same pace.
 */
export function createFormRooms({ pace, worked }: BodyReader): FormRooms {
  const shares = createBodyShares()
  return (caller) => {
    const name = caller.kind === 'key' ? caller.key.number : caller.kind
    return {
      take: (bytes) => shares.take(name, bytes),
      give: (bytes) => shares.give(name, bytes),
      pace: (bytes) => pace(caller, bytes),
      worked: (ms) => worked(caller, ms),
    }
  }
}

const tooManyParts = () => new ApiError('payload_too_large', 'The form has too many parts.')
const tooLongField = (name: string) => new ApiError('payload_too_large', `The field ${name} is too large.`)

const tooMuchBesideFile = () =>
  new ApiError(
    'payload_too_large',
    `The form is larger than ${MOST_BESIDE_FILE / 1024 ** 2} MiB without its file. Send the file as the part "${FILE}".`,
  )

/** Keeps the file of a form. */
export interface FileKeeper<F> {
  keep(file: FormFile): Promise<F>
  /** Discards the file of a form that came to nothing. */
  discard(file: F): Promise<void>
}

/**
 * Reads a form with a file (multipart). The file goes to `keep` as it comes; all
 * the rest is bounded, and parts of other names are skipped.
 * @throws ApiError `invalid_request`, `payload_too_large`, `rate_limited`, and what `keep` rejects
 *   with
 */
export async function readForm<F>(req: IncomingMessage, files: FileKeeper<F>, room: FormRoom): Promise<Form<F>> {
  refuseTooLong(req, MOST_OF_FORM, `A form may have ${MOST_OF_FORM / 1024 ** 2} MB with its file.`)
  return readWhole(req, () => parse(req, files, room))
}

function parserOf(req: IncomingMessage): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...req.headers, 'content-type': req.headers['content-type'] ?? '' },
      limits: LIMITS,
      // It would lose what is not UTF-8.
      isPartAFile: () => true,
    })
  } catch {
    throw new ApiError('unsupported_media_type', 'Send JSON, or a form whose Content-Type names its boundary.')
  }
}

async function parse<F>(req: IncomingMessage, { keep, discard }: FileKeeper<F>, room: FormRoom): Promise<Form<F>> {
  const parser = parserOf(req)
  const fields = new Map<string, Buffer>()
  const end = Promise.withResolvers<void>()
  let besideFile = 0
  let content: Readable | undefined
  let file: Promise<F> | undefined

  const watch = watchBody(req)
  const count = (chunk: Buffer): void => {
    watch.see(chunk)
    if (room.take(chunk.length)) besideFile += chunk.length
    else end.reject(tooMuchAtOnce())
    if (besideFile > MOST_BESIDE_FILE) end.reject(tooMuchBesideFile())
  }
  /** Counts no bytes: they go to the disk. */
  async function* uncounted(stream: Readable): AsyncGenerator<Buffer> {
    hangUpAfter(req, IDLE_MS)
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      besideFile -= chunk.length
      room.give(chunk.length)
      yield chunk
    }
  }

  /** Keeps the bytes of a part that is no file: which charset they have shows at the end. */
  function keepField(name: string, stream: Readable): void {
    const pieces: Buffer[] = []
    let size = 0
    stream.on('data', (piece: Buffer) => {
      size += piece.length
      if (size > LONGEST_FIELD) end.reject(tooLongField(name))
      else pieces.push(piece)
    })
    stream.on('end', () => fields.set(name, Buffer.concat(pieces)))
  }

  let parts = 0
  parser.on('file', (part, stream, name, _encoding, contentType) => {
    // An error that nobody hears would end the program. The parser says by itself that a form is
    // cut off, and the keeper why it stopped reading.
    stream.on('error', () => undefined)
    parts += 1
    if (part === undefined) end.reject(withoutName())
    else if (name === undefined && (part === FILE ? contentType === TEXT : contentType !== BYTES)) {
      if (parts > MOST_FIELDS) end.reject(tooManyParts())
      return keepField(part, stream)
    }
    if (part !== FILE) return void stream.resume()
    if (content !== undefined) return end.reject(tooManyParts())
    content = stream
    // It may have to wait for its turn.
    hangUpAfter(req, 0)
    file = keep({ name: name === '' ? undefined : name, contentType, content: uncounted(stream) })
    file.catch(end.reject)
  })
  parser.on('partsLimit', () => end.reject(tooManyParts()))
  parser.on('error', () => end.reject(unreadable()))
  parser.on('finish', end.resolve)
  // Its sender went away in the middle.
  const stopWatching = finished(req, { writable: false }, (error) => error && end.reject(unreadable()))
  hangUpAfter(req, IDLE_MS)
  req.on('data', count).pipe(parser)
  try {
    await end.promise
    // From here on its sender waits for us.
    hangUpAfter(req, 0)
    if (!watch.isProved()) throw notWhole()
    const form = { ...textsOf(fields, req.headers['content-type']), file: await file }
    const wait = room.pace(besideFile)
    if (wait > 0) await pauseOf(wait)
    return form
  } catch (error) {
    req.unpipe(parser)
    content?.destroy(new Error('the form was not read to its end'))
    const kept = await file?.catch(() => undefined)
    if (kept !== undefined) await discard(kept)
    throw error
  } finally {
    stopWatching()
    hangUpAfter(req, 0)
    req.off('data', count)
    room.give(besideFile)
  }
}

/** Reads all fields of a form in one charset. @throws ApiError */
function textsOf(fields: ReadonlyMap<string, Buffer>, contentType: string | undefined) {
  const each = [...fields.values()].map((value) => decodeBody(value, contentType).assumed)
  const assumed = each.find((charset) => charset !== null) ?? null
  const charset = assumed ?? charsetOf(contentType)
  const texts = new Map([...fields].map(([name, value]) => [name, decodeText(value, charset).text]))
  return { fields: texts, assumedCharset: assumed }
}

/**
 * The JSON text of a field: a form knows only text.
 * @throws ApiError where it would become too many values
 */
function jsonOf(name: string, value: string): string {
  // Not as it is written: `007` is no JSON.
  if (NUMBERS.has(name) && /^-?\d{1,15}(\.\d{1,15})?$/.test(value.trim())) return String(Number(value))
  if (name === 'metadata') {
    refuseMuchJson(value, name)
    if (isJson(value)) return value.trim()
  }
  return JSON.stringify(value)
}

function asJson(fields: ReadonlyMap<string, string>, file: UploadRow | undefined): { body: unknown; raw: Buffer } {
  if (file !== undefined && fields.has('file_id'))
    throw invalidRequest([fieldProblem('file_id', 'not_together', { other: 'file' })])
  // Forms send what is not filled in; an empty text with a file has a meaning.
  const given = [...fields].filter(([name, value]) => value !== '' || name === 'message')
  const members = given.map(([name, value]) => `${JSON.stringify(name)}:${jsonOf(name, value)}`)
  const text = (last: string[]) => withoutNul(`{${[...members, ...last].join(',')}}`)
  return {
    body: JSON.parse(text(file === undefined ? [] : [`"file_id":"${file.id}"`])),
    raw: Buffer.from(text(file === undefined ? [] : [`"file_id":"sha256:${file.sha256}"`])),
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isUrlEncoded = (req: IncomingMessage): boolean =>
  /^application\/x-www-form-urlencoded\b/i.test(req.headers['content-type'] ?? '')

/** The fields of a URL-encoded body. @throws ApiError */
function urlEncodedFields(body: Buffer): Map<string, Buffer> {
  const fields = urlEncodedPairs(body, MOST_FIELDS + 1)
  if (fields.length > MOST_FIELDS) throw tooManyParts()
  for (const [name, value] of fields) if (value.length > LONGEST_FIELD) throw tooLongField(name)
  return new Map(fields)
}

/** The members in an address, in whatever charset they are escaped. @throws ApiError */
export function readQuery(req: IncomingMessage): Record<string, unknown> {
  const url = req.url ?? ''
  const at = url.indexOf('?')
  const query = at < 0 ? '' : url.slice(at + 1)
  const { fields } = textsOf(urlEncodedFields(Buffer.from(query, 'latin1')), undefined)
  return asJson(fields, undefined).body as Record<string, unknown>
}

/** JSON that was sent as a form, which is how some programs send whatever they are given. */
const isJsonObject = (bytes: Buffer): boolean => /^\s*\{/.test(bytes.toString('latin1', 0, 64))

/**
 * Takes forms with the names of the JSON body: URL-encoded, or `multipart/form-data` with the part
 * `file` for the file itself.
 */
export function createFormReader(uploads: Uploads, bodies: BodyReader, rooms: FormRooms): FormReader {
  const keep = (file: FormFile, caller: KnownCaller) =>
    uploads.store({ ...file, keyNumber: keyOf(caller)?.number ?? null, keptFor: SENT_ALONG_FOR })

  async function readMultipart(req: IncomingMessage, caller: KnownCaller): Promise<FormBody> {
    const files: FileKeeper<UploadRow> = {
      keep: (file) => keep(file, caller),
      discard: ({ id }) => uploads.discard(id),
    }
    const room = rooms(caller)
    const { fields, file, assumedCharset } = await readForm(req, files, room)
    // A file that the disk or the server refuses to give up now is swept later.
    const discard = async () => (file === undefined ? undefined : uploads.discard(file.id).catch(() => undefined))
    const began = performance.now()
    try {
      const content = asJson(fields, file)
      room.worked(performance.now() - began)
      return { ...content, assumedCharset, discard }
    } catch (error) {
      await discard()
      throw error
    }
  }

  async function readUrlEncoded(req: IncomingMessage, caller: Caller): Promise<FormBody> {
    const raw = await bodies.readBytes(req, caller, MOST_BESIDE_FILE)
    const type = req.headers['content-type']
    const began = performance.now()
    const discard = async () => undefined
    try {
      if (isJsonObject(raw)) return { ...readJson(raw, type), discard }
      const { fields, assumedCharset } = textsOf(urlEncodedFields(raw), type)
      return { ...asJson(fields, undefined), assumedCharset, discard }
    } finally {
      bodies.worked(caller, performance.now() - began)
    }
  }

  async function readOfUnknown(req: IncomingMessage): Promise<FormBody> {
    if (isUrlEncoded(req)) return readUrlEncoded(req, NOBODY)
    const discard = async () => undefined
    if (!isForm(req)) {
      const raw = await bodies.readBytes(req, NOBODY, MOST_BESIDE_FILE)
      return { ...parseJson(raw, req.headers['content-type'], true), discard }
    }
    const noFile = async (): Promise<never> => {
      throw new ApiError('invalid_request', 'No file is taken in this form. Send its address.')
    }
    const { fields, assumedCharset } = await readForm(req, { keep: noFile, discard }, rooms(NOBODY))
    return { ...asJson(fields, undefined), assumedCharset, discard }
  }

  /** Keeps the file of a body, which is in memory for as long as the file waits for its turn. */
  async function keepDataFile(json: Buffer, file: FormFile, caller: KnownCaller): Promise<UploadRow> {
    const room = rooms(caller)
    if (!room.take(json.length)) throw tooMuchAtOnce()
    try {
      return await keep(file, caller)
    } finally {
      room.give(json.length)
    }
  }

  async function readDataFile(json: Buffer, contentType: string | undefined, caller: KnownCaller) {
    for (const place of placesOfDataFile(json)) {
      const found = await readDataFileAt(place, json, contentType, caller)
      if (found !== undefined) return found
    }
    return undefined
  }

  async function readDataFileAt(
    place: { from: number; to: number },
    json: Buffer,
    contentType: string | undefined,
    caller: KnownCaller,
  ): Promise<FormBody | undefined> {
    const [before, after] = [json.subarray(0, place.from), json.subarray(place.to)]
    const without = (address: string) => Buffer.concat([before, Buffer.from(address), after])
    if (before.length + after.length > MOST_BESIDE_FILE) throw tooMuchBesideFile()
    const { body, assumedCharset } = parseJson(without(DATA), contentType, false)
    // It belongs to something else.
    if (!isRecord(body) || body.file !== DATA) return undefined
    if (body.file_id != null) throw invalidRequest([fieldProblem('file_id', 'not_together', { other: 'file' })])
    const name = typeof body.filename === 'string' ? body.filename : undefined
    const file = await keepDataFile(json, { name, ...openDataFile(json.subarray(place.from, place.to)) }, caller)
    const { file: _, ...others } = body
    return {
      body: { ...others, file_id: file.id },
      raw: parseJson(without(`sha256:${file.sha256}`), contentType, false).raw,
      assumedCharset,
      discard: () => uploads.discard(file.id).catch(() => undefined),
    }
  }

  return {
    readDataFile,
    readOfUnknown,
    takes: (req) => isForm(req) || isUrlEncoded(req),
    read: (req, caller) => (isForm(req) ? readMultipart(req, caller) : readUrlEncoded(req, caller)),
  }
}
