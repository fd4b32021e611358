import type { IncomingMessage } from 'node:http'
import { finished, type Readable } from 'node:stream'
import { setTimeout as pauseOf } from 'node:timers/promises'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { type KnownCaller, keyOf } from '../access/caller.ts'
import { ApiError, fieldProblem, invalidRequest } from '../contract/errors.ts'
import { createByteShares, hangUpAfter } from '../lib/read-body.ts'
import { withoutNul } from '../lib/without-nul.ts'
import { LARGEST_FILE } from '../media/kind.ts'
import { SENT_ALONG_FOR, type UploadRow, type Uploads } from '../media/uploads.ts'
import { type BodyReader, IDLE_MS, refuseMuchJson, refuseTooLong, SHARE, tooMuchAtOnce } from './body.ts'
import { readWhole } from './read-whole.ts'

/** The fields of a form, and what became of its file. */
export interface Form<F> {
  fields: ReadonlyMap<string, string>
  file: F | undefined
}

export interface FormFile {
  name: string | undefined
  contentType: string | undefined
  content: AsyncIterable<Buffer>
}

/** A form in place of a JSON body. */
export interface FormBody {
  /** The members, as JSON would have brought them; the file by its `file_id`. */
  body: unknown
  /**
   * The same text for the same form: with the file's hash, which does not change when it is sent
   * again.
   */
  raw: Buffer
  /** Forgets its file, unless a message has it. */
  discard(): Promise<void>
}

export interface FormReader {
  /** True if this body is a form; others are JSON. */
  takes(req: IncomingMessage): boolean
  read(req: IncomingMessage, caller: KnownCaller): Promise<FormBody>
}

/** The part that holds the file. */
const FILE = 'file'
const LIMITS = { files: 1, fields: 50, parts: 51, fieldNameSize: 64, fieldSize: 512 * 1024, headerPairs: 20 }
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

export type FormRooms = (caller: KnownCaller) => FormRoom

/**
 * Bounds the forms of one caller that are on their way, like other bodies, and at the same pace.
 */
export function createFormRooms({ pace, worked }: BodyReader): FormRooms {
  const shares = createByteShares<number | 'owner'>(SHARE)
  return (caller) => {
    const name = keyOf(caller)?.number ?? 'owner'
    return {
      take: (bytes) => shares.take(name, bytes),
      give: (bytes) => shares.give(name, bytes),
      pace: (bytes) => pace(caller, bytes),
      worked: (ms) => worked(caller, ms),
    }
  }
}

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
 * Reads a form (multipart, or URL-encoded without a file). The file goes to `keep` as it comes; all
 * the rest is bounded, and parts of other names are skipped.
 * @throws ApiError `invalid_request`, `payload_too_large`, `rate_limited`, and what `keep` rejects
 *   with
 */
export async function readForm<F>(req: IncomingMessage, files: FileKeeper<F>, room: FormRoom): Promise<Form<F>> {
  if (isForm(req)) refuseTooLong(req, MOST_OF_FORM, `A form may have ${MOST_OF_FORM / 1024 ** 2} MB with its file.`)
  else refuseTooLong(req, MOST_BESIDE_FILE, tooMuchBesideFile().message)
  return readWhole(req, () => parse(req, files, room))
}

function parserOf(req: IncomingMessage): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...req.headers, 'content-type': req.headers['content-type'] ?? '' },
      limits: LIMITS,
    })
  } catch {
    throw new ApiError('unsupported_media_type', 'Send JSON, or a form whose Content-Type names its boundary.')
  }
}

async function parse<F>(req: IncomingMessage, { keep, discard }: FileKeeper<F>, room: FormRoom): Promise<Form<F>> {
  const parser = parserOf(req)
  const fields = new Map<string, string>()
  const end = Promise.withResolvers<void>()
  let besideFile = 0
  let content: Readable | undefined
  let file: Promise<F> | undefined

  const count = (chunk: Buffer): void => {
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

  parser.on('field', (name, value, nameCut, valueCut) => {
    if (name === undefined) end.reject(withoutName())
    else if (nameCut || valueCut) end.reject(new ApiError('payload_too_large', `The field ${name} is too large.`))
    else fields.set(name, value)
  })
  parser.on('file', (part, stream, name, _encoding, contentType) => {
    // Of every part: an error that nobody hears would end the program. The parser says by itself
    // that a form is cut off, and the keeper why it stopped reading.
    stream.on('error', () => undefined)
    if (part === undefined) end.reject(withoutName())
    if (part !== FILE) return void stream.resume()
    content = stream
    // It may have to wait for its turn.
    hangUpAfter(req, 0)
    file = keep({ name: name === '' ? undefined : name, contentType, content: uncounted(stream) })
    file.catch(end.reject)
  })
  for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const) {
    parser.on(limit, () => end.reject(new ApiError('payload_too_large', 'The form has too many parts.')))
  }
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
    const form = { fields, file: await file }
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
  const members = [...fields].map(([name, value]) => `${JSON.stringify(name)}:${jsonOf(name, value)}`)
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

const isUrlEncoded = (req: IncomingMessage): boolean =>
  /^application\/x-www-form-urlencoded\b/i.test(req.headers['content-type'] ?? '')

/**
 * Takes `multipart/form-data` with the names of the JSON body, and the part `file` for the file
 * itself.
 */
export function createFormReader(
  uploads: Uploads,
  { urlEncoded, rooms }: { urlEncoded: boolean; rooms: FormRooms },
): FormReader {
  async function read(req: IncomingMessage, caller: KnownCaller): Promise<FormBody> {
    const files: FileKeeper<UploadRow> = {
      keep: (file) => uploads.store({ ...file, keyNumber: keyOf(caller)?.number ?? null, keptFor: SENT_ALONG_FOR }),
      discard: ({ id }) => uploads.discard(id),
    }
    const room = rooms(caller)
    const { fields, file } = await readForm(req, files, room)
    // What the disk or the server refuses now is swept later.
    const discard = async () => (file === undefined ? undefined : uploads.discard(file.id).catch(() => undefined))
    const began = performance.now()
    try {
      const content = asJson(fields, file)
      room.worked(performance.now() - began)
      return { ...content, discard }
    } catch (error) {
      await discard()
      throw error
    }
  }
  return { takes: (req) => isForm(req) || (urlEncoded && isUrlEncoded(req)), read }
}
