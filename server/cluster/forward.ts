import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { RequestHandler } from 'express'
import { request } from 'undici'
import { ApiError } from '../contract/errors.ts'
import { PAGE_TOKEN_HEADER } from '../contract/page-token.ts'
import type { Clock } from '../lib/clock.ts'
import { sleep } from '../lib/sleep.ts'
import { SECOND } from '../lib/time.ts'
import type { NodeStore, SenderRow, SenderStore } from '../store/index.ts'

const FORWARDED = 'x-kurir-forwarded'
const ANSWER_WITHIN = 30 * SECOND
/** A sender that nobody holds is taken over within seconds. */
const HELD_WITHIN = 20 * SECOND
const LOOKED_EVERY = SECOND / 4
const OF_ONE_SENDER = /^\/api\/senders\/([^/]+)/
/** Of one connection, not of the way behind it (RFC 9110, 7.6.1). */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
  'proxy-connection',
  'expect',
]

/** Nor what says who calls: the other node gets the owner's token instead. */
const NOT_PASSED_ON = [...HOP_BY_HOP, 'cookie', PAGE_TOKEN_HEADER]

/**
 * What the owner does with one sender (link, unlink, resume, look at its code) is done by the node that holds it: the
 * connection is there. A request comes here first, is passed on as it is, and is passed on once at most.
 */
export function forwardToHolder({
  nodes,
  senders,
  isRunning,
  isOwner,
  ownerToken,
  clock,
}: {
  nodes: Pick<NodeStore, 'holds' | 'urlOf' | 'refresh'>
  senders: Pick<SenderStore, 'byCode'>
  /** Whether its connection is here: it begins a moment after the sender is held. */
  isRunning: (senderId: number) => boolean
  /** Whether it is the owner who asks this node. */
  isOwner: (req: IncomingMessage) => boolean
  /** The same on every node. A browser's session is of the port that it was opened at. */
  ownerToken: string
  clock: Clock
}): RequestHandler {
  const isReady = ({ id, kind }: SenderRow) => nodes.holds(id) && (kind === 'official' || isRunning(id))

  /** One that another node has made a moment ago is not known yet. */
  async function find(code: string): Promise<SenderRow | undefined> {
    if (senders.byCode(code) === undefined) await nodes.refresh()
    return senders.byCode(code)
  }

  return async (req, res, next) => {
    // Codes have no letters that are written in another way.
    const code = OF_ONE_SENDER.exec(req.path)?.[1]
    // Who is not the owner is refused here.
    const sender = code === undefined || !isOwner(req) ? undefined : await find(code)
    if (sender === undefined || isReady(sender)) return next()
    const isForwarded = req.headers[FORWARDED] !== undefined
    const otherUrl = async () => (isForwarded || nodes.holds(sender.id) ? undefined : nodes.urlOf(sender.id))
    const gone = new AbortController()
    res.once('close', () => gone.abort())
    let url = await otherUrl()
    if (url === undefined && req.method === 'GET') return next()
    for (let waited = 0; url === undefined && !isReady(sender); waited += LOOKED_EVERY) {
      if (waited >= HELD_WITHIN) throw notHeld(sender.code)
      await sleep(clock, LOOKED_EVERY, gone.signal)
      url = await otherUrl()
    }
    if (url === undefined) return next()
    const headers = Object.fromEntries(Object.entries(req.headers).filter(([name]) => !NOT_PASSED_ON.includes(name)))
    const answer = await request(atNode(url, req.originalUrl), {
      method: req.method as 'GET',
      headers: { ...headers, [FORWARDED]: '1', authorization: `Bearer ${ownerToken}` },
      body: req.method === 'GET' || req.method === 'DELETE' ? null : req,
      headersTimeout: ANSWER_WITHIN,
      bodyTimeout: ANSWER_WITHIN,
      signal: gone.signal,
    }).catch(() => undefined)
    if (answer === undefined) throw notReached(sender.code)
    if (answer.statusCode === 403) {
      await answer.body.dump()
      throw notTrusted(sender.code)
    }
    const kept = Object.entries(answer.headers).filter(([name]) => !HOP_BY_HOP.includes(name))
    res.writeHead(answer.statusCode, Object.fromEntries(kept))
    // Where the other node ends in the middle, so does the answer.
    await pipeline(answer.body, res).catch(() => undefined)
  }
}

/** The same path at that node. A request line may name a host as well, which anybody could choose. */
function atNode(url: string, asked: string): URL {
  const target = new URL(url)
  const { pathname, search } = new URL(asked, url)
  return Object.assign(target, { pathname, search })
}

const notReached = (code: string): ApiError =>
  new ApiError(
    'conflict',
    `The node that holds ${code} did not answer. Look at ${code} before you try again; "kurir nodes" shows which ones run.`,
  )

const notTrusted = (code: string): ApiError =>
  new ApiError(
    'conflict',
    `The node that holds ${code} does not serve the owner of this one. Give every node the same KURIR_OWNER_TOKEN, and switch remote_administration on.`,
  )

const notHeld = (code: string): ApiError =>
  new ApiError(
    'conflict',
    `No node has taken ${code} over yet. Try again in 15 seconds; "kurir nodes" shows which ones run.`,
  )
