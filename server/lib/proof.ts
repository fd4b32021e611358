import { createHash, createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { SECOND } from './clock.ts'

/** Compares two secrets in a time that reveals neither their contents nor their lengths. */
export const sameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'))

/**
 * One run of Kurir, as the command line of its data folder and the other nodes of its database know
 * it. The id is as secret as the token: without it, a program that obtained a proof cannot test
 * tokens against that proof.
 */
export interface Instance {
  id: string
  /** The owner's token. It keys the proofs and is never sent. */
  token: string
}

/** Path of the greeting, whose answer proves that this instance listens there. */
export const GREETING_PATH = '/api/proof'
/** Response header that proves the answer to a proved request. */
export const PROOF_HEADER = 'x-kurir-proof'
/** A caller sends each request right after its greeting. */
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
  /** Chosen by the caller. Valid for one request. */
  nonce: string
  /** Time of the greeting, by a clock of the instance that nobody can set. */
  time: number
}

export const greetingProof = (from: Instance, { nonce, time }: Exchange): string =>
  proofOf(from, 'greeting', nonce, time)

/** The parts of a request that its proof covers. */
export interface Asked {
  method: string
  /** Includes the query. */
  path: string
  /** Content type of the body; empty if there is none. */
  type: string
  bodyHash: string
}

const requestProof = (to: Instance, { nonce, time }: Exchange, { method, path, type, bodyHash }: Asked): string =>
  proofOf(to, 'request', nonce, time, method, path, type, bodyHash)

/** Returns the Authorization header that proves a request. */
export const authorization = (to: Instance, exchange: Exchange, asked: Asked): string =>
  `${SCHEME} ${exchange.time}.${exchange.nonce}.${asked.bodyHash}.${requestProof(to, exchange, asked)}`

/** @param body null: the body is a stream, and its bytes are not proved */
export const answerProof = (from: Instance, { nonce }: Exchange, status: number, body: string | Uint8Array | null) =>
  proofOf(from, 'answer', nonce, status, body === null ? null : bodyHash(body))

interface Proved {
  bodyHash: string
  answer: (status: number, body: string | Uint8Array | null) => string
}

const proved = new WeakMap<IncomingMessage, Proved>()

/** Returns what a request has proved; undefined if it proved nothing. */
export const provedBy = (req: IncomingMessage): Proved | undefined => proved.get(req)

/**
 * Returns false if the request proved another body than this one. A request without a proof passes.
 */
export const isBodyProved = (req: IncomingMessage, body: Uint8Array): boolean => {
  const expected = proved.get(req)?.bodyHash
  return expected === undefined || expected === bodyHash(body)
}

/**
 * Hashes a body as its parts arrive. `isProved` returns false at the end if the request proved
 * another body.
 */
export function watchBody(req: IncomingMessage): { see(part: Uint8Array): void; isProved(): boolean } {
  const expected = proved.get(req)?.bodyHash
  const digest = expected === undefined ? undefined : createHash('sha256')
  return {
    see: (part) => void digest?.update(part),
    isProved: () => digest?.digest('base64url') === expected,
  }
}

export type Prover = ReturnType<typeof createProver>

/**
 * Proves that this instance answers, and checks the proofs of requests.
 * @param elapsed milliseconds
 */
export function createProver(instance: Instance, elapsed: () => number) {
  /** Used nonces with the time of their request, oldest first. */
  const used = new Map<string, number>()

  /** Returns true for the first request of an exchange that began less than `ACCEPTED_FOR` ago. */
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
    /**
     * Checks and remembers what a request proves. Must run before anything else reads the request.
     */
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
