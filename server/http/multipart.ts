import type { IncomingMessage } from 'node:http'
import { finished, type Readable } from 'node:stream'
import { setTimeout as pauseOf } from 'node:timers/promises'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { ApiError } from '../contract/errors.ts'
import { charsetOf, decodeText } from '../lib/charset.ts'
import { watchBody } from '../lib/proof.ts'
import { hangUpAfter } from '../lib/read-body.ts'
import { LARGEST_FILE } from '../media/kind.ts'
import {
  type BodyReader,
  createBodyShares,
  decodeBody,
  IDLE_MS,
  nameOf,
  notWhole,
  readWhole,
  refuseTooLong,
  tooMuchAtOnce,
} from './body.ts'
import type { Caller } from './keys.ts'

/** The fields of a form, and its file as it was kept. */
export interface Form<F> {
  fields: ReadonlyMap<string, string>
  /** Charset that was assumed, because the form names none and its fields are not UTF-8. */
  assumedCharset: string | null
  file: F | undefined
}

export interface FormFile {
  name: string | undefined
  contentType: string | undefined
  content: AsyncIterable<Buffer>
}

const FILE = 'file'
const BYTES = 'application/octet-stream'
// Type of a part that names none.
const TEXT = 'text/plain'
export const LONGEST_FIELD = 512 * 1024
export const MOST_FIELDS = 50
const LIMITS = { parts: MOST_FIELDS + 1, fieldNameSize: 64, headerPairs: 20 }
/** Most bytes of a form without its file: 65,536 characters, percent-encoded, are 576 KiB. */
export const MOST_BESIDE_FILE = 1024 * 1024
const MOST_OF_FORM = LARGEST_FILE + MOST_BESIDE_FILE

const unreadable = () =>
  new ApiError('invalid_request', 'The form could not be read: it is cut off, or its boundary is wrong.')

const withoutName = () =>
  new ApiError(
    'invalid_request',
    'A part of the form has no name. Write one: Content-Disposition: form-data; name="…".',
  )

const misnamed = (part: string) =>
  new ApiError('invalid_request', `The part "${part}" of the form is a file. Send the file as the part "${FILE}".`)

/**
 * Decodes the `Content-Transfer-Encoding` of a field. Delphi's Indy encodes every field, and texts
 * would otherwise arrive with =3D and broken lines.
 */
function plain(bytes: Buffer, encoding = ''): Buffer {
  if (/^base64$/i.test(encoding)) return Buffer.from(bytes.toString('latin1'), 'base64')
  if (!/^quoted-printable$/i.test(encoding)) return bytes
  const text = bytes
    .toString('latin1')
    .replace(/=(?:\r?\n|([\da-f]{2}))/gi, (_, code?: string) =>
      code === undefined ? '' : String.fromCharCode(Number.parseInt(code, 16)),
    )
  return Buffer.from(text, 'latin1')
}

/** Ignores the error of an empty file: browsers send one for a field that was left empty. */
function unlessEmpty(error: unknown): undefined {
  const isEmpty = error instanceof ApiError && error.extras.details?.[0]?.code === 'empty'
  if (!isEmpty) throw error
}

/** Memory of one caller for the forms that it is sending, without their files. */
interface FormRoom {
  /** Takes bytes. False: not enough are left. */
  take(bytes: number): boolean
  give(bytes: number): void
  /** Returns how long the caller waits after so many bytes, in milliseconds. */
  pace(bytes: number): number
  /** Counts the event loop time that reading a form took, in milliseconds. */
  worked(ms: number): void
}

export type FormRooms = (caller: Caller) => FormRoom

/** Limits the memory for the forms of one caller. They are read at the pace of other bodies. */
export function createFormRooms({ pace, worked }: BodyReader): FormRooms {
  const shares = createBodyShares()
  return (caller) => {
    const name = nameOf(caller)
    return {
      take: (bytes) => shares.take(name, bytes),
      give: (bytes) => shares.give(name, bytes),
      pace: (bytes) => pace(caller, bytes),
      worked: (ms) => worked(caller, ms),
    }
  }
}

export const tooManyParts = () => new ApiError('payload_too_large', 'The form has too many parts.')
export const tooLongField = (name: string) => new ApiError('payload_too_large', `The field ${name} is too large.`)

export const tooMuchBesideFile = () =>
  new ApiError(
    'payload_too_large',
    `The form is larger than ${MOST_BESIDE_FILE / 1024 ** 2} MiB without its file. Send the file as the part "${FILE}".`,
  )

export interface FileKeeper<F> {
  keep(file: FormFile): Promise<F>
  /** Discards the file of a form that was refused. */
  discard(file: F): Promise<void>
}

/**
 * Reads a form with a file (multipart). Passes the file to `keep` as it arrives; limits the size of
 * all the rest.
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
      // As fields, parts would lose bytes that are not UTF-8.
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
  let file: Promise<F | undefined> | undefined
  let misplaced: string | undefined

  const watch = watchBody(req)
  const count = (chunk: Buffer): void => {
    watch.see(chunk)
    if (room.take(chunk.length)) besideFile += chunk.length
    else end.reject(tooMuchAtOnce())
    if (besideFile > MOST_BESIDE_FILE) end.reject(tooMuchBesideFile())
  }
  /** Takes the file's bytes out of the count, because they go to the disk. */
  async function* uncounted(stream: Readable): AsyncGenerator<Buffer> {
    hangUpAfter(req, IDLE_MS)
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      besideFile -= chunk.length
      room.give(chunk.length)
      yield chunk
    }
  }

  /** Keeps the bytes of a field, because its charset is known only at the end of the form. */
  function keepField(name: string, stream: Readable, encoding: string | undefined): void {
    const pieces: Buffer[] = []
    let size = 0
    stream.on('data', (piece: Buffer) => {
      size += piece.length
      if (size > LONGEST_FIELD) end.reject(tooLongField(name))
      else pieces.push(piece)
    })
    stream.on('end', () => fields.set(name, plain(Buffer.concat(pieces), encoding)))
  }

  let parts = 0
  parser.on('file', (part, stream, name, encoding, contentType) => {
    // An 'error' event without a listener would end the process. The parser reports a form that is
    // cut off, and `keep` reports why it stopped reading.
    stream.on('error', () => undefined)
    parts += 1
    if (part === undefined) end.reject(withoutName())
    else if (name === undefined && (part === FILE ? contentType === TEXT : contentType !== BYTES)) {
      if (parts > MOST_FIELDS) end.reject(tooManyParts())
      return keepField(part, stream, encoding)
    }
    if (part !== FILE) {
      stream.once('data', () => (misplaced ??= part))
      return void stream.resume()
    }
    if (content !== undefined) return end.reject(tooManyParts())
    content = stream
    // The file may have to wait for its turn, so silence is no error here.
    hangUpAfter(req, 0)
    const kept: Promise<F | undefined> = keep({ name: name || undefined, contentType, content: uncounted(stream) })
    file = name === '' ? kept.catch(unlessEmpty) : kept
    file.catch(end.reject)
  })
  parser.on('partsLimit', () => end.reject(tooManyParts()))
  parser.on('error', () => end.reject(unreadable()))
  parser.on('finish', end.resolve)
  // Notices a client that goes away in the middle.
  const stopWatching = finished(req, { writable: false }, (error) => error && end.reject(unreadable()))
  hangUpAfter(req, IDLE_MS)
  req.on('data', count).pipe(parser)
  try {
    await end.promise
    // From here on the client waits for the answer.
    hangUpAfter(req, 0)
    if (!watch.isProved()) throw notWhole()
    if (misplaced !== undefined) throw misnamed(misplaced)
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
export function textsOf(fields: ReadonlyMap<string, Buffer>, contentType: string | undefined) {
  const each = [...fields.values()].map((value) => decodeBody(value, contentType).assumed)
  const assumed = each.find((charset) => charset !== null) ?? null
  const charset = assumed ?? charsetOf(contentType)
  const texts = new Map([...fields].map(([name, value]) => [name, decodeText(value, charset).text]))
  return { fields: texts, assumedCharset: assumed }
}
