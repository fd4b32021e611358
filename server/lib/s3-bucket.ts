import { Readable } from 'node:stream'
import { AwsV4Signer } from 'aws4fetch'
import { Agent, type Dispatcher, request } from 'undici'
import { jitter } from './backoff.ts'
import { MINUTE, SECOND } from './clock.ts'
import { describeNetworkError } from './net-errors.ts'
import { StorageError } from './storage-error.ts'

interface BucketPlace {
  bucket: string
  /** Precedes the name of each object. Empty, or ends with a slash. */
  prefix: string
  region: string
  /** Address of a service other than Amazon's, set by the administrator; may be on the LAN. */
  endpoint: string | undefined
}

export interface BucketOptions extends BucketPlace {
  accessKeyId: string
  secretAccessKey: string
  /** Token of temporary credentials. */
  sessionToken: string | undefined
}

/** Content of an object. `read` is called once for each try. */
export interface ObjectContent {
  /** Bytes. */
  size: number
  /** Hash of the content in hexadecimal digits. The service refuses content with another hash. */
  sha256: string
  read(): AsyncIterable<Buffer>
}

/** A part of a bucket behind Amazon's S3 protocol. All functions reject with StorageError. */
export interface Bucket {
  /** Bucket and prefix, for display. */
  place: string
  /** Resolves when the object is stored durably. An object is never stored in part. */
  put(name: string, content: ObjectContent): Promise<void>
  /**
   * Resolves with the result of `take`; undefined if there is no such object. `take` is called once
   * for each try.
   * @param mostBytes the rest of a larger object is not read
   */
  get<T>(name: string, mostBytes: number, take: (body: AsyncIterable<Buffer>) => Promise<T>): Promise<T | undefined>
  /** Resolves as well if there is no such object. */
  remove(name: string): Promise<void>
  close(): Promise<void>
}

const CONNECT_WITHIN = 4 * SECOND
const MOST_TOTAL = 10 * MINUTE
/** No try begins later than this, because a caller waits. */
const TRIED_FOR = 10 * SECOND
const CONNECTIONS = 8
const MOST_OF_AN_ERROR = 64 * 1024
/** SHA-256 of an empty body. */
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** Milliseconds. */
interface Limits {
  /** Longest silence in either direction, before or within an answer. */
  mostIdle: number
  /** Pause before each further try. */
  waits: readonly number[]
}

const LIMITS: Limits = { mostIdle: 20 * SECOND, waits: [200, SECOND] }

/** An error answer of the service, or no answer. `passing`: another try may succeed. */
class Refusal extends Error {
  readonly passing: boolean

  constructor(why: string, passing: boolean, cause?: unknown) {
    super(why, { cause })
    this.passing = passing
  }
}

/**
 * Returns the address that objects' names are appended to. Amazon wants the bucket in the host
 * name; other services need not have such host names. Pure.
 */
export function addressOf({ bucket, prefix, region, endpoint }: BucketPlace): string {
  const root =
    endpoint === undefined
      ? `https://${bucket}.s3.${region}.amazonaws.com`
      : `${endpoint.replace(/(?<!\/)\/+$/, '')}/${bucket}`
  return `${root}/${prefix}`
}

export function createBucket(options: BucketOptions, { mostIdle, waits } = LIMITS): Bucket {
  const base = addressOf(options)
  const place = `s3://${options.bucket}/${options.prefix}`.replace(/\/$/, '')
  const dispatcher = new Agent({
    connect: { timeout: CONNECT_WITHIN },
    connections: CONNECTIONS,
    headersTimeout: mostIdle,
    bodyTimeout: mostIdle,
  })
  const keys = new Map<string, ArrayBuffer>()

  async function signed(method: Dispatcher.HttpMethod, name: string, sha256: string) {
    const { accessKeyId, secretAccessKey, sessionToken, region } = options
    const headers = { 'x-amz-content-sha256': sha256 }
    const credentials = { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) }
    const signer = new AwsV4Signer({
      ...credentials,
      method,
      url: base + name,
      headers,
      service: 's3',
      region,
      cache: keys,
    })
    return Object.fromEntries((await signer.sign()).headers)
  }

  async function ask(method: 'GET' | 'PUT' | 'DELETE', name: string, content?: ObjectContent) {
    const headers = await signed(method, name, content?.sha256 ?? EMPTY)
    let unreadable: unknown
    // Remember a failure of `read`, because it is no fault of the service.
    async function* body({ read }: ObjectContent): AsyncGenerator<Buffer> {
      try {
        yield* read()
      } catch (error) {
        unreadable = error
        throw error
      }
    }
    const sent = content === undefined ? {} : { body: Readable.from(body(content), { objectMode: false }) }
    const length = content === undefined ? {} : { 'content-length': String(content.size) }
    try {
      return await request(base + name, {
        method,
        dispatcher,
        headers: { ...headers, ...length },
        signal: AbortSignal.timeout(MOST_TOTAL),
        ...sent,
      })
    } catch (error) {
      throw unreadable ?? unanswered(error)
    }
  }

  /**
   * Runs `work` again after a failure that may pass.
   * @throws StorageError
   */
  async function trying<T>(work: () => Promise<T>): Promise<T> {
    const began = performance.now()
    for (const wait of [...waits, undefined]) {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        if (!error.passing || wait === undefined || performance.now() - began > TRIED_FOR)
          throw new StorageError(error.passing ? 'no_objects' : 'objects_refused', `${place}: ${error.message}`, error)
        await new Promise((resolve) => setTimeout(resolve, jitter(wait, Math.random)))
      }
    }
    throw new Error('never')
  }

  return {
    place,
    put: (name, content) =>
      trying(async () => {
        const answer = await ask('PUT', name, content)
        if (answer.statusCode !== 200) throw await refusalOf(answer)
        await answer.body.dump()
      }),
    get: (name, mostBytes, take) =>
      trying(async () => {
        const answer = await ask('GET', name)
        if (answer.statusCode === 200) return take(readBody(answer, mostBytes))
        const refusal = await refusalOf(answer)
        if (answer.statusCode === 404 && refusal.message === 'NoSuchKey') return undefined
        throw refusal
      }),
    remove: (name) =>
      trying(async () => {
        const answer = await ask('DELETE', name)
        const refusal = answer.statusCode === 204 ? undefined : await refusalOf(answer)
        // Amazon answers 204 even if there was no such object, other services answer NoSuchKey.
        if (refusal !== undefined && refusal.message !== 'NoSuchKey') throw refusal
        await answer.body.dump()
      }),
    close: () => dispatcher.destroy(),
  }
}

const unanswered = (error: unknown): Refusal => new Refusal(describeNetworkError(error), true, error)

async function* readBody({ body }: Dispatcher.ResponseData, mostBytes: number): AsyncGenerator<Buffer> {
  let size = 0
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > mostBytes) return
      yield chunk
    }
  } catch (error) {
    throw unanswered(error)
  }
}

/** Codes of S3 for errors that may pass, although their status would be final. */
const PASSING = ['RequestTimeout', 'OperationAborted', 'SlowDown']

async function refusalOf({ statusCode, body }: Dispatcher.ResponseData): Promise<Refusal> {
  const code = codeIn(await beginningOf(body)) ?? `status ${statusCode}`
  return new Refusal(code, statusCode >= 500 || [408, 429].includes(statusCode) || PASSING.includes(code))
}

/** Returns the code in an error document, its only part for programs. */
const codeIn = (text: string): string | undefined => /<Code>(\w{1,100})<\/Code>/.exec(text)?.[1]

async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  let text = ''
  try {
    for await (const chunk of body) {
      text += chunk.toString('latin1')
      if (text.length > MOST_OF_AN_ERROR) break
    }
  } catch {
    // The status says enough.
  }
  return text
}
