import { createHash, createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { SECOND } from './clock.ts'

/** Compares two secrets in a time that tells nothing about them, nor their lengths. */
export const sameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'))

/**
 * One start of Kurir, as the command line of its data folder and the nodes of its database know it.
 * Its id is as secret as the token: a program that got a proof cannot try tokens on it.
 */
export interface Instance {
  id: string
  /** The owner's. It makes proofs and is never sent. */
  token: string
}

/** Path of the greeting: its answer shows that this instance is there. */
export const GREETING_PATH = '/api/proof'
/** Header of the answer to a request that was proved. */
export const PROOF_HEADER = 'x-kurir-proof'
/** Each request is asked for a moment after its greeting. */
const ACCEPTED_FOR = 30 * SECOND
const SCHEME = 'Kurir'
const GIVEN = /^Kurir (\d{1,16})\.([\w-]{22,64})\.([\w-]{43})\.([\w-]{43})$/

export const bodyHash = (body: string | Uint8Array): string => hash('sha256', body, 'base64url')

function proofOf({ id, token }: Instance, ...parts: (string | number | null)[]): string {
  return createHmac('sha256', token)
    .update(JSON.stringify([id, ...parts]))
    .digest('base64url')
}

/** One exchange: a greeting, then a request and its answer. */
export interface Exchange {
  /** Chosen by the caller. It counts for one request. */
  nonce: string
  /** When the greeting was given, by a clock of the instance that nobody sets. */
  time: number
}

export const greetingProof = (from: Instance, { nonce, time }: Exchange): string =>
  proofOf(from, 'greeting', nonce, time)

/** A request as it is proved. */
export interface Asked {
  method: string
  /** With the query. */
  path: string
  /** Content type of the body; otherwise empty. */
  type: string
  bodyHash: string
}

const requestProof = (to: Instance, { nonce, time }: Exchange, { method, path, type, bodyHash }: Asked): string =>
  proofOf(to, 'request', nonce, time, method, path, type, bodyHash)

/** The header that proves a request. */
export const authorization = (to: Instance, exchange: Exchange, asked: Asked): string =>
  `${SCHEME} ${exchange.time}.${exchange.nonce}.${asked.bodyHash}.${requestProof(to, exchange, asked)}`

/** @param body null: it is a stream, whose bytes are not proved */
export const answerProof = (from: Instance, { nonce }: Exchange, status: number, body: string | Uint8Array | null) =>
  proofOf(from, 'answer', nonce, status, body === null ? null : bodyHash(body))

interface Proved {
  bodyHash: string
  answer: (status: number, body: string | Uint8Array | null) => string
}

const proved = new WeakMap<IncomingMessage, Proved>()

/** Returns what a request has proved; undefined: nothing. */
export const provedBy = (req: IncomingMessage): Proved | undefined => proved.get(req)

/** Tells if a body is the one that was proved, where one was. */
export const isBodyProved = (req: IncomingMessage, body: Uint8Array): boolean => {
  const expected = proved.get(req)?.bodyHash
  return expected === undefined || expected === bodyHash(body)
}

/** Sees a body go by in parts, and tells at its end if it is the one that was proved. */
export function watchBody(req: IncomingMessage): { see(part: Uint8Array): void; isProved(): boolean } {
  const expected = proved.get(req)?.bodyHash
  const digest = expected === undefined ? undefined : createHash('sha256')
  return {
    see: (part) => void digest?.update(part),
    isProved: () => digest?.digest('base64url') === expected,
  }
}

export type Prover = ReturnType<typeof createProver>

/** Proves that this instance answers, and checks proofs of requests. @param elapsed milliseconds */
export function createProver(instance: Instance, elapsed: () => number) {
  /** Nonces by the time when they came. */
  const used = new Map<string, number>()

  /** Tells if this is the first request of an exchange that began a moment ago. */
  function isNew({ nonce, time }: Exchange): boolean {
    const now = elapsed()
    for (const [known, at] of used) {
      if (now - at <= ACCEPTED_FOR) break
      used.delete(known)
    }
    if (now - time > ACCEPTED_FOR || used.has(nonce)) return false
    used.set(nonce, now)
    return true
  }

  return {
    greet(nonce: string): { time: number; proof: string } {
      const time = Math.floor(elapsed())
      return { time, proof: greetingProof(instance, { nonce, time }) }
    },
    /** Keeps what a request proves, before anything else looks at it. */
    check(req: IncomingMessage): void {
      const [, time, nonce, bodyHash, proof] = GIVEN.exec(req.headers.authorization ?? '') ?? []
      if (nonce === undefined || bodyHash === undefined || proof === undefined) return
      const exchange = { nonce, time: Number(time) }
      const { method = '', url: path = '', headers } = req
      const asked = { method, path, type: headers['content-type'] ?? '', bodyHash }
      if (!sameSecret(proof, requestProof(instance, exchange, asked)) || !isNew(exchange)) return
      proved.set(req, { bodyHash, answer: (status, body) => answerProof(instance, exchange, status, body) })
    },
  }
}
