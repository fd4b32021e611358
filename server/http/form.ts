import type { IncomingMessage } from 'node:http'
import { finished, type Readable } from 'node:stream'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { type KnownCaller, keyOf } from '../access/caller.ts'
import { ApiError, fieldProblem, invalidRequest } from '../contract/errors.ts'
import { SENT_ALONG_FOR, type UploadRow, type Uploads } from '../media/uploads.ts'
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
  /** The same text for the same form: with the file's hash, which does not change when it is sent again. */
  raw: Buffer
  /** Forgets its file, unless a message has it. */
  discard(): Promise<void>
}

export interface FormReader {
  /** Whether this body is a form; others are JSON. */
  takes(req: IncomingMessage): boolean
  read(req: IncomingMessage, caller: KnownCaller): Promise<FormBody>
}

/** The part that holds the file. */
const FILE = 'file'
const LIMITS = { files: 1, fields: 50, parts: 51, fieldNameSize: 64, fieldSize: 512 * 1024, headerPairs: 20 }
const NUMBERS = new Set(['delay', 'ttl'])

export const isForm = (req: IncomingMessage): boolean =>
  /^multipart\/form-data\b/i.test(req.headers['content-type'] ?? '')

const unreadable = () =>
  new ApiError('invalid_request', 'The form could not be read: it is cut off, or its boundary is wrong.')

/**
 * Reads a form (multipart, or URL-encoded without a file). Fields are bounded; the file goes to `keep` as it comes, and
 * parts of other names are skipped.
 * @throws ApiError `invalid_request`, `payload_too_large`, and what `keep` rejects with
 */
export const readForm = <F>(req: IncomingMessage, keep: (file: FormFile) => Promise<F>): Promise<Form<F>> =>
  readWhole(req, () => parse(req, keep))

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

async function parse<F>(req: IncomingMessage, keep: (file: FormFile) => Promise<F>): Promise<Form<F>> {
  const parser = parserOf(req)
  const fields = new Map<string, string>()
  const end = Promise.withResolvers<void>()
  let content: Readable | undefined
  let file: Promise<F> | undefined

  parser.on('field', (name, value, nameCut, valueCut) => {
    if (nameCut || valueCut) end.reject(new ApiError('payload_too_large', `The field ${name} is too large.`))
    else fields.set(name, value)
  })
  parser.on('file', (part, stream, name, _encoding, contentType) => {
    if (part !== FILE) return void stream.resume()
    content = stream
    stream.on('error', () => end.reject(unreadable()))
    file = keep({ name: name === '' ? undefined : name, contentType, content: stream })
    file.catch(end.reject)
  })
  for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const) {
    parser.on(limit, () => end.reject(new ApiError('payload_too_large', 'The form has too many parts.')))
  }
  parser.on('error', () => end.reject(unreadable()))
  parser.on('finish', end.resolve)
  // Its sender went away in the middle.
  const stopWatching = finished(req, { writable: false }, (error) => error && end.reject(unreadable()))
  req.pipe(parser)
  try {
    await end.promise
    return { fields, file: await file }
  } catch (error) {
    req.unpipe(parser)
    content?.destroy(new Error('the form was not read to its end'))
    await file?.catch(() => undefined)
    throw error
  } finally {
    stopWatching()
  }
}

/** The JSON text of a field: a form knows only text. */
function jsonOf(name: string, value: string): string {
  if (NUMBERS.has(name) && /^-?\d+(\.\d+)?$/.test(value.trim())) return value.trim()
  if (name === 'metadata' && isJson(value)) return value.trim()
  return JSON.stringify(value)
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

/** Takes `multipart/form-data` with the names of the JSON body, and the part `file` for the file itself. */
export function createFormReader(
  uploads: Pick<Uploads, 'store' | 'discard'>,
  { urlEncoded }: { urlEncoded: boolean },
): FormReader {
  async function read(req: IncomingMessage, caller: KnownCaller): Promise<FormBody> {
    const keep = (file: FormFile): Promise<UploadRow> =>
      uploads.store({ ...file, keyNumber: keyOf(caller)?.number ?? null, keptFor: SENT_ALONG_FOR })
    const { fields, file } = await readForm(req, keep)
    const members = [...fields].map(([name, value]) => `${JSON.stringify(name)}:${jsonOf(name, value)}`)
    const text = (last: string[]) => `{${[...members, ...last].join(',')}}`
    const discard = async () => (file === undefined ? undefined : uploads.discard(file.id))
    if (file !== undefined && fields.has('file_id')) {
      await discard()
      throw invalidRequest([fieldProblem('file_id', 'not_together', { other: 'file' })])
    }
    return {
      body: JSON.parse(text(file === undefined ? [] : [`"file_id":"${file.id}"`])),
      raw: Buffer.from(text(file === undefined ? [] : [`"file_id":"sha256:${file.sha256}"`])),
      discard,
    }
  }
  return { takes: (req) => isForm(req) || (urlEncoded && isUrlEncoded(req)), read }
}
