import type { IncomingMessage } from 'node:http'
import type { Request, Response } from 'express'
import type { Logger } from '../lib/logger.ts'
import type { Prover } from '../lib/proof.ts'
import type { Authentication } from './auth.ts'
import type { BodyReader } from './body.ts'
import type { Caller } from './keys.ts'
import type { Pages } from './pages.ts'
import type { Reply, Route, RouteName } from './route.ts'

/** Has another program answer. Resolves with true when it has. @throws ApiError `conflict` */
export type Forward = (req: Request, res: Response, session: string | null) => Promise<boolean>

/** Parts of a request that say what it is and who sends it. */
export type CallHead = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'socket'>

/** A call, with as much as is known of it so far. */
export interface KnownCall {
  /** Undefined: nothing is at its address. */
  route: RouteName | undefined
  req: CallHead
  caller: Caller | undefined
  body: unknown
  /** The first bytes of a body that is not read as it should be. */
  head: Buffer
  /** Charset that its text was read as, where none was named and it is not UTF-8. */
  assumedCharset: string | null
}

/** Hears of calls whose programmers should change something. */
export interface Watcher {
  answered(call: KnownCall, reply: Reply): void
  failed(call: KnownCall, error: unknown): void
  /** It names no charset and is not UTF-8. */
  guessed(call: KnownCall): void
}

/** Context of all calls. */
export interface HttpContext {
  routes: readonly Route[]
  /** Has the program answer that owns a sender; undefined: this is the only one. */
  forward: Forward | undefined
  /** Reads what other programs have changed; undefined: there are none. */
  refresh: (() => Promise<void>) | undefined
  prover: Prover
  bodies: BodyReader
  authentication: Authentication
  watchers: readonly Watcher[]
  /** Hears how long each answer took, in seconds. */
  answered: (route: Route, status: number, seconds: number) => void
  /** The window's pages. */
  pages: Pages
  allowedHosts: () => readonly string[]
  corsOrigins: () => readonly string[]
  stopping: () => boolean
  logger: Logger
}
