import type { IncomingMessage } from 'node:http'
import type { Request, Response } from 'express'
import type { Logger } from '../lib/logger.ts'
import type { Prover } from '../lib/proof.ts'
import type { Authentication } from './auth.ts'
import type { BodyReader } from './body.ts'
import type { Caller } from './keys.ts'
import type { Pages } from './pages.ts'
import type { Reply, Route, RouteName } from './route.ts'

/** Has another node answer. Resolves with true if it has answered. @throws ApiError `conflict` */
export type Forward = (req: Request, res: Response, session: string | null) => Promise<boolean>

/** Parts of a request that say what is called and by whom. */
export type CallHead = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'socket'>

/** A call, with everything that is known about it so far. */
export interface KnownCall {
  /** Undefined: no route has the address. */
  route: RouteName | undefined
  req: CallHead
  caller: Caller | undefined
  body: unknown
  /** The first bytes of the body, used if it could not be parsed. */
  head: Buffer
  /** Charset that was assumed, because the call names none and the body is not UTF-8. */
  assumedCharset: string | null
}

/** Told of calls whose programmers should change something. */
export interface Watcher {
  answered(call: KnownCall, reply: Reply): void
  failed(call: KnownCall, error: unknown): void
  /** Called if the body names no charset and is not UTF-8. */
  guessed(call: KnownCall): void
}

export interface HttpContext {
  routes: readonly Route[]
  /** Has the node answer that holds the sender of a call. Undefined: there are no other nodes. */
  forward: Forward | undefined
  /** Reads what other nodes have changed. Undefined: there are no other nodes. */
  refresh: (() => Promise<void>) | undefined
  prover: Prover
  bodies: BodyReader
  authentication: Authentication
  watchers: readonly Watcher[]
  /** Called with the time that each answer took, in seconds. */
  answered: (route: Route, status: number, seconds: number) => void
  pages: Pages
  allowedHosts: () => readonly string[]
  corsOrigins: () => readonly string[]
  stopping: () => boolean
  logger: Logger
}
