import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { Client, type Dispatcher } from 'undici'
import { z } from 'zod'
import { SECOND } from './clock.ts'
import {
  answerProof,
  authorization,
  bodyHash,
  type Exchange,
  GREETING_PATH,
  greetingProof,
  type Instance,
  PROOF_HEADER,
  sameSecret,
} from './proof.ts'
import { readAll } from './read-body.ts'

const GREETS_WITHIN = 5 * SECOND
// Bytes.
const LONGEST_GREETING = 4096
const LONGEST_ANSWER = 16 * 1024 * 1024
const greeting = z.object({ data: z.object({ time: z.number(), proof: z.string() }) })

/** An address and the instance that is expected there. */
export interface Place {
  url: string
  instance: Instance
}

export interface Call {
  method: string
  /** Includes the query. */
  path: string
  type?: string | undefined
  headers?: Record<string, string>
  body?: string | Uint8Array | Blob | null
  /** Longest wait for the begin of the answer, and between its parts, in milliseconds. */
  within?: number
  signal?: AbortSignal
}

/** The program that answers is not the expected instance, or has another secret. */
export class NotProved extends Error {
  /** True if the program failed to prove itself in the greeting, before the request was sent. */
  readonly isUnsent: boolean

  constructor(isUnsent: boolean) {
    super('what answers there is not the Kurir that is expected')
    this.isUnsent = isUnsent
  }
}

/**
 * Sends a request to one instance, without sending a secret. The program at its address has to
 * prove itself on the same connection before the request is sent, and to prove its answer.
 * @throws NotProved, or the error of the connection
 */
export function callProved(place: Place, call: Call): Promise<Response> {
  return connected(place, async (client) => {
    const { method, path, type, headers, body = null, within = null, signal = null } = call
    const hash = await hashOf(body)
    const exchange = await greet(client, place.instance, signal)
    const answer = await client.request({
      method: method as 'GET',
      path,
      signal,
      headersTimeout: within,
      bodyTimeout: within,
      headers: {
        ...headers,
        ...(type !== undefined && { 'content-type': type }),
        ...(body instanceof Blob && { 'content-length': String(body.size) }),
        authorization: authorization(place.instance, exchange, { method, path, type: type ?? '', bodyHash: hash }),
      },
      body: body instanceof Blob ? Readable.fromWeb(body.stream() as ReadableStream) : body,
    })
    return provedAnswer(answer, place.instance, exchange)
  })
}

/**
 * Resolves if the instance answers at its address.
 * @throws NotProved, or the error of the connection
 */
export async function greetAt(place: Place, signal: AbortSignal | null = null): Promise<void> {
  await connected(place, (client) => greet(client, place.instance, signal))
}

/** Runs `work` on one connection, which ends when all answers have arrived. */
async function connected<T>({ url }: Place, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(new URL(url).origin, { allowH2: false, connect: { timeout: GREETS_WITHIN } })
  // Do not reconnect: the next connection could lead to another program.
  client.once('disconnect', () => void client.destroy())
  try {
    const done = await work(client)
    // `close` rejects if the other side has closed the connection already.
    client.close().catch(() => undefined)
    return done
  } catch (error) {
    await client.destroy()
    throw error
  }
}

async function greet(client: Client, instance: Instance, signal: AbortSignal | null): Promise<Exchange> {
  const nonce = randomBytes(24).toString('base64url')
  const within = AbortSignal.timeout(GREETS_WITHIN)
  const { body } = await client.request({
    method: 'GET',
    path: `${GREETING_PATH}?nonce=${nonce}`,
    signal: signal === null ? within : AbortSignal.any([signal, within]),
  })
  const given = greeting.safeParse(parse(await readAll(body, LONGEST_GREETING, tooLarge)))
  if (!given.success) throw new NotProved(true)
  const { time, proof } = given.data.data
  if (!sameSecret(proof, greetingProof(instance, { nonce, time }))) throw new NotProved(true)
  return { nonce, time }
}

async function provedAnswer(
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
  instance: Instance,
  exchange: Exchange,
): Promise<Response> {
  const type = String(headers['content-type'])
  const bytes = type.startsWith('application/json') ? await readAll(body, LONGEST_ANSWER, tooLarge) : null
  if (!sameSecret(String(headers[PROOF_HEADER]), answerProof(instance, exchange, status, bytes)))
    throw new NotProved(false)
  const length = headers['content-length']
  return new Response(bytes ?? (Readable.toWeb(body) as ReadableStream<Uint8Array>), {
    status,
    headers: { 'content-type': type, ...(typeof length === 'string' && { 'content-length': length }) },
  })
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}

async function hashOf(body: NonNullable<Call['body']> | null): Promise<string> {
  if (!(body instanceof Blob)) return bodyHash(body ?? '')
  const digest = createHash('sha256')
  for await (const part of body.stream()) digest.update(part)
  return digest.digest('base64url')
}

const tooLarge = () => new Error('the answer is too large')
