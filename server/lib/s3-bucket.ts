import { Readable } from 'node:stream'
import { AwsV4Signer } from 'aws4fetch'
import { Agent, type Dispatcher, request } from 'undici'
import { jitter } from './backoff.ts'
import { MINUTE, SECOND } from './clock.ts'
import { describeNetworkError } from './net-errors.ts'
import { StorageError } from './storage-error.ts'

interface BucketPlace {
  bucket: string
  /** Before the name of each object; empty, or with a slash at its end. */
  prefix: string
  region: string
  /** A service other than Amazon's, set by the administrator: it may be on the LAN. */
  endpoint: string | undefined
}

export interface BucketOptions extends BucketPlace {
  accessKeyId: string
  secretAccessKey: string
  /** Token of temporary credentials. */
  sessionToken: string | undefined
}

/** Content of an object, read again for each try. */
export interface ObjectContent {
  /** Bytes. */
  size: number
  /** Hash of the content in hexadecimal digits. The service refuses other bytes. */
  sha256: string
  read(): AsyncIterable<Buffer>
}

/** Part of a bucket that speaks Amazon's S3. Everything rejects with StorageError. */
export interface Bucket {
  /** Bucket and prefix: what may be shown. */
  place: string
  /** It is there for good when this resolves; in part it never is. */
  put(name: string, content: ObjectContent): Promise<void>
  /**
   * Resolves with what `take` makes of its bytes; undefined: it is not there. `take` is called once
   * more for each try. @param mostBytes so many are read of a larger one
   */
  get<T>(name: string, mostBytes: number, take: (body: AsyncIterable<Buffer>) => Promise<T>): Promise<T | undefined>
  /** Also where it is not there. */
  remove(name: string): Promise<void>
  close(): Promise<void>
}

const CONNECT_WITHIN = 4 * SECOND
const MOST_TOTAL = 10 * MINUTE
/** A caller waits: nothing is tried again later than this. */
const TRIED_FOR = 10 * SECOND
const CONNECTIONS = 8
const MOST_OF_AN_ERROR = 64 * 1024
/** SHA-256 of nothing: of a request without a body. */
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** Milliseconds. */
interface Limits {
  /** Longest silence in either direction, before or within an answer. */
  mostIdle: number
  /** Before each further try. */
  waits: readonly number[]
}

const LIMITS: Limits = { mostIdle: 20 * SECOND, waits: [200, SECOND] }

/** The service's answer, or its silence. `passing`: another try may succeed. */
class Refusal extends Error {
  readonly passing: boolean

  constructor(why: string, passing: boolean, cause?: unknown) {
    super(why, { cause })
    this.passing = passing
  }
}

/** Amazon wants the bucket in the host's name; others need not have such names. Pure. */
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
    // A fault in here is no fault of the service.
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

  /** Again, where that may help; in the end its failure is one of the faults of a store. */
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
        // Amazon answers 204 as well where there was nothing, others say so.
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

/** Codes of Amazon's S3 with a status that is otherwise final. */
const PASSING = ['RequestTimeout', 'OperationAborted', 'SlowDown']

async function refusalOf({ statusCode, body }: Dispatcher.ResponseData): Promise<Refusal> {
  const code = codeIn(await beginningOf(body)) ?? `status ${statusCode}`
  return new Refusal(code, statusCode >= 500 || [408, 429].includes(statusCode) || PASSING.includes(code))
}

/** The code in an error document: the one thing in it that is for programs. */
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
