import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { ApiError } from '../contract/errors.ts'
import { isObject } from '../contract/fields.ts'
import { withoutNul } from '../lib/json.ts'
import { unescapedFile, urlEncodedPairs } from '../lib/url-encoded.ts'
import { SENT_ALONG_FOR, type UploadRow, type Uploads } from '../media/uploads.ts'
import { keepFile } from '../messages/files.ts'
import { fieldProblem, invalidRequest } from '../words/errors.ts'
import { type BodyReader, parseJson, readJson, refuseMuchJson, tooLongBody, tooMuchAtOnce } from './body.ts'
import { type DataFileForm, type FileFacts, MOST_WITH_FILE, openDataFile, type Place, SEND_FORM } from './data-file.ts'
import { type Caller, type KnownCaller, keyOf } from './keys.ts'
import {
  type FileKeeper,
  type FormFile,
  type FormRooms,
  LONGEST_FIELD,
  MOST_BESIDE_FILE,
  MOST_FIELDS,
  readForm,
  textsOf,
  tooLongField,
  tooManyParts,
  tooMuchBesideFile,
} from './multipart.ts'

/** A body that was read from a form, or from JSON with a file in it. */
export interface FormBody {
  /** Members as in a JSON body, with `file_id` in place of the file. */
  body: unknown
  /** Text that is equal when the form is sent again: it has the file's hash, not its id. */
  raw: Buffer
  assumedCharset: string | null
  /** Deletes the file, unless a message has it. */
  discard(): Promise<void>
}

export interface FormReader {
  /** True if the body of this request is a form. */
  takes(req: IncomingMessage): boolean
  /** @param form how a field can contain the file; default: as for /send */
  read(req: IncomingMessage, caller: KnownCaller, form?: DataFileForm): Promise<FormBody>
  /**
   * Reads a form without a file, or JSON, before the caller is known, because the key is one of its
   * members.
   * @throws ApiError
   */
  readOfUnknown(req: IncomingMessage): Promise<FormBody>
  /**
   * Stores the file that a JSON body contains. Undefined: the body contains none.
   * @param form default: as for /send
   */
  readDataFile(
    json: Buffer,
    contentType: string | undefined,
    caller: KnownCaller,
    form?: DataFileForm,
  ): Promise<FormBody | undefined>
}

type Fields = ReadonlyMap<string, string>

const NOBODY: Caller = { kind: 'anonymous' }

/** Replaces the file of a body while the body is parsed. Random, so that no caller knows it. */
const DATA = `data:${randomUUID()}`
const NUMBERS = new Set(['delay', 'ttl'])

/**
 * Returns the JSON text of a field, because a form has only text.
 * @throws ApiError if `metadata` has too many or too deep values
 */
function jsonOf(name: string, value: string): string {
  // Written again as JSON, because `007` is not JSON.
  if (NUMBERS.has(name) && /^-?\d{1,15}(\.\d{1,15})?$/.test(value.trim())) return String(Number(value))
  if (name === 'metadata') {
    refuseMuchJson(value, name)
    if (isJson(value)) return value.trim()
  }
  return JSON.stringify(value)
}

function asJson(fields: Fields, file: UploadRow | undefined): { body: unknown; raw: Buffer } {
  if (file !== undefined && fields.has('file_id'))
    throw invalidRequest([fieldProblem('file_id', 'not_together', { other: 'file' })])
  // Forms send empty fields too. Only an empty `message` has a meaning: a file without a text.
  const given = [...fields].filter(([name, value]) => value !== '' || name === 'message')
  const members = given.map(([name, value]) => `${JSON.stringify(name)}:${jsonOf(name, value)}`)
  const text = (...last: string[]) => withoutNul(`{${[...members, ...last].join(',')}}`)
  const withoutFile = text()
  return {
    body: JSON.parse(file === undefined ? withoutFile : text(`"file_id":"${file.id}"`)),
    raw: Buffer.from(file === undefined ? withoutFile : text(`"file_id":"sha256:${file.sha256}"`)),
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

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

export const isForm = (req: IncomingMessage): boolean =>
  /^multipart\/form-data\b/i.test(req.headers['content-type'] ?? '')

const isUrlEncoded = (req: IncomingMessage): boolean =>
  /^application\/x-www-form-urlencoded\b/i.test(req.headers['content-type'] ?? '')

/** Reads the fields of a URL-encoded body. @throws ApiError */
function urlEncodedFields(body: Buffer): Map<string, Buffer> {
  const fields = urlEncodedPairs(body, MOST_FIELDS + 1)
  if (fields.length > MOST_FIELDS) throw tooManyParts()
  for (const [name, value] of fields) if (value.length > LONGEST_FIELD) throw tooLongField(name)
  return new Map(fields)
}

/** Reads the members in an address, in whatever charset they are escaped. @throws ApiError */
export function readQuery(req: IncomingMessage): Record<string, unknown> {
  const url = req.url ?? ''
  const at = url.indexOf('?')
  if (at < 0) return {}
  const query = url.slice(at + 1)
  const { fields } = textsOf(urlEncodedFields(Buffer.from(query, 'latin1')), undefined)
  return asJson(fields, undefined).body as Record<string, unknown>
}

/** True for JSON that was sent with the content type of a form, as some programs do. */
const isJsonObject = (bytes: Buffer): boolean => /^\s*\{/.test(bytes.toString('latin1', 0, 64))
const asJsonType = (type: string | undefined): string => `application/json${type?.replace(/^[^;]*/, '') ?? ''}`

/** Finds the value of `file` in a URL-encoded body. */
function placeOfFile(body: Buffer): Place | undefined {
  const name = Buffer.from('file=')
  const isFirst = body.subarray(0, name.length).equals(name)
  const before = isFirst ? 0 : body.indexOf('&file=') + 1
  if (before === 0 && !isFirst) return undefined
  const from = before + name.length
  const end = body.indexOf('&', from)
  return { from, to: end < 0 ? body.length : end }
}

/**
 * Reads forms whose fields are named as in the JSON body: URL-encoded, or `multipart/form-data`
 * with the part `file` for the file itself.
 */
export function createFormReader(uploads: Uploads, bodies: BodyReader, rooms: FormRooms): FormReader {
  const keep = (file: FormFile, caller: KnownCaller) =>
    keepFile(uploads, { ...file, keyNumber: keyOf(caller)?.number ?? null, keptFor: SENT_ALONG_FOR })

  async function readMultipart(req: IncomingMessage, caller: KnownCaller, form: DataFileForm): Promise<FormBody> {
    const files: FileKeeper<UploadRow> = {
      keep: (file) => keep(file, caller),
      discard: ({ id }) => uploads.discard(id),
    }
    const room = rooms(caller)
    const { fields, file, assumedCharset } = await readForm(req, files, room)
    const text = Buffer.from(fields.get('file') ?? '')
    if (file === undefined && text.length > 0 && form.isFile(text)) {
      const others = new Map(fields)
      others.delete('file')
      return withFieldFile(text, { fields: others, assumedCharset }, caller, form)
    }
    // If the file cannot be deleted now, a sweep deletes it later.
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

  /** Reads URL-encoded fields, or JSON that was sent with their content type. */
  function readFields(raw: Buffer, type: string | undefined, caller: Caller): FormBody & { fields: Fields } {
    const began = performance.now()
    const discard = async () => undefined
    try {
      if (isJsonObject(raw)) return { ...readJson(raw, type), fields: new Map(), discard }
      const texts = textsOf(urlEncodedFields(raw), type)
      return { ...asJson(texts.fields, undefined), ...texts, discard }
    } finally {
      bodies.worked(caller, performance.now() - began)
    }
  }

  async function readUrlEncoded(req: IncomingMessage, caller: KnownCaller, form: DataFileForm): Promise<FormBody> {
    const raw = await bodies.readBytes(req, caller, MOST_WITH_FILE)
    const type = req.headers['content-type']
    const withFile = isJsonObject(raw)
      ? await readDataFile(raw, asJsonType(type), caller, form)
      : await readFieldFile(raw, type, caller, form)
    if (withFile !== undefined) return withFile
    if (raw.length > MOST_BESIDE_FILE) throw tooLongBody(MOST_BESIDE_FILE)
    return readFields(raw, type, caller)
  }

  /** Stores the file in the field `file` of a URL-encoded body. Undefined: it contains no file. */
  async function readFieldFile(raw: Buffer, type: string | undefined, caller: KnownCaller, form: DataFileForm) {
    const place = placeOfFile(raw)
    if (place === undefined) return undefined
    const text = await unescapedFile(raw.subarray(place.from, place.to))
    if (text.length === 0 || !form.isFile(text)) return undefined
    const others = Buffer.concat([raw.subarray(0, place.from), raw.subarray(place.to)])
    if (others.length > MOST_BESIDE_FILE) throw tooMuchBesideFile()
    return withFieldFile(text, readFields(others, type, caller), caller, form)
  }

  /** Stores the file that a field contained. Resolves with it and the other fields of the form. */
  async function withFieldFile(
    text: Buffer,
    { fields, assumedCharset }: { fields: Fields; assumedCharset: string | null },
    caller: KnownCaller,
    form: DataFileForm,
  ): Promise<FormBody> {
    const found = form.read({ ...(asJson(fields, undefined).body as Record<string, unknown>), file: DATA }, DATA)
    const file = await keepOpened(text, text, found, caller)
    const discard = () => uploads.discard(file.id).catch(() => undefined)
    return { ...asJson(fields, file), assumedCharset, discard }
  }

  async function readOfUnknown(req: IncomingMessage): Promise<FormBody> {
    const discard = async () => undefined
    if (isUrlEncoded(req)) {
      return readFields(await bodies.readBytes(req, NOBODY, MOST_BESIDE_FILE), req.headers['content-type'], NOBODY)
    }
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

  /** Stores the file of a body. The body stays in memory, and counts, until the file has a turn. */
  async function keepOpened(body: Buffer, text: Buffer, about: FileFacts | undefined, caller: KnownCaller) {
    const opened = openDataFile(text)
    const facts = { name: textOf(about?.name), contentType: opened.contentType ?? textOf(about?.type) }
    const room = rooms(caller)
    if (!room.take(body.length)) throw tooMuchAtOnce()
    try {
      return await keep({ ...opened, ...facts }, caller)
    } finally {
      room.give(body.length)
    }
  }

  async function readDataFile(
    json: Buffer,
    contentType: string | undefined,
    caller: KnownCaller,
    form: DataFileForm = SEND_FORM,
  ) {
    for (const place of form.places(json)) {
      const found = await readDataFileAt(place, json, contentType, caller, form)
      if (found !== undefined) return found
    }
    return undefined
  }

  async function readDataFileAt(
    { from, to }: Place,
    json: Buffer,
    contentType: string | undefined,
    caller: KnownCaller,
    form: DataFileForm,
  ): Promise<FormBody | undefined> {
    const [before, after] = [json.subarray(0, from), json.subarray(to)]
    const without = (address: string) => Buffer.concat([before, Buffer.from(address), after])
    if (before.length + after.length > MOST_BESIDE_FILE) throw tooMuchBesideFile()
    const { body, assumedCharset } = parseJson(without(DATA), contentType, false)
    const found = isObject(body) ? form.read(body, DATA) : undefined
    if (found === undefined) return undefined
    const file = await keepOpened(json, json.subarray(from, to), found, caller)
    return {
      body: found.withFile(file.id),
      raw: parseJson(without(`sha256:${file.sha256}`), contentType, false).raw,
      assumedCharset,
      discard: () => uploads.discard(file.id).catch(() => undefined),
    }
  }

  return {
    readDataFile,
    readOfUnknown,
    takes: (req) => isForm(req) || isUrlEncoded(req),
    read: (req, caller, form = SEND_FORM) =>
      isForm(req) ? readMultipart(req, caller, form) : readUrlEncoded(req, caller, form),
  }
}
