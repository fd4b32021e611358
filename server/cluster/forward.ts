import type { IncomingMessage } from 'node:http'
import type { Request } from 'express'
import { ApiError } from '../contract/errors.ts'
import { FORWARDED, forwardedBy, ownerWay } from '../http/auth.ts'
import type { Forward } from '../http/context.ts'
import { sendJson } from '../http/response.ts'
import { type Clock, SECOND } from '../lib/clock.ts'
import { COMMAND } from '../lib/program.ts'
import { callProved, NotProved, type Place } from '../lib/proved-call.ts'
import { sleep } from '../lib/sleep.ts'
import type { NodeStore, SenderRow, SenderStore } from '../store/index.ts'

const ANSWER_WITHIN = 30 * SECOND
/** Wait for a node to take over a sender that nobody holds, which takes seconds. */
const HELD_WITHIN = 20 * SECOND
const LOOKED_EVERY = SECOND / 4

/**
 * Forwards calls about one sender (link, unlink, resume, show its code) to the node that holds it,
 * because the connection runs there. Forwards a request unchanged, and at most once.
 */
export function forwardToHolder({
  nodes,
  senders,
  isRunning,
  ownerToken,
  readBody,
  clock,
}: {
  nodes: Pick<NodeStore, 'holds' | 'holderOf' | 'refresh'>
  senders: SenderStore
  /**
   * True if the sender's connection runs here; it starts a moment after this node gets the lease.
   */
  isRunning: (senderId: number) => boolean
  /** The owner's token, which is the same on every node. */
  ownerToken: string
  readBody: (req: IncomingMessage) => Promise<Buffer>
  clock: Clock
}): Forward {
  const isReady = ({ id, kind }: SenderRow) => nodes.holds(id) && (kind === 'official' || isRunning(id))

  /** Another node may have created this sender a moment ago, so refresh before giving up. */
  async function find(code: string): Promise<SenderRow | undefined> {
    if (senders.byCode(code) === undefined) await nodes.refresh()
    return senders.byCode(code)
  }

  return async (req, res, session) => {
    const sender = await find(String(req.params.code))
    if (sender === undefined || isReady(sender)) return false
    const isForwarded = req.headers[FORWARDED] !== undefined
    const other = async () => (isForwarded || nodes.holds(sender.id) ? undefined : nodes.holderOf(sender.id))
    const gone = new AbortController()
    res.once('close', () => gone.abort())
    let holder = await other()
    if (holder === undefined && req.method === 'GET') return false
    for (let waited = 0; holder === undefined && !isReady(sender); waited += LOOKED_EVERY) {
      if (waited >= HELD_WITHIN) throw notHeld(sender.code)
      await sleep(clock, LOOKED_EVERY, gone.signal)
      holder = await other()
    }
    if (holder === undefined) return false
    const body = req.method === 'GET' || req.method === 'DELETE' ? null : await readBody(req)
    const place = { url: holder.url, instance: { id: holder.instance, token: ownerToken } }
    const headers = { [FORWARDED]: forwardedBy(ownerWay(session, req)) }
    const answer = await passOn(place, req, { body, headers }, gone.signal).catch((error: unknown) => {
      const isUnsent = error instanceof NotProved && error.isUnsent
      throw isUnsent ? notProved(sender.code) : notReached(sender.code)
    })
    if (answer.status === 403) throw notServed(sender.code)
    sendJson(res, answer.status, answer.json)
    return true
  }
}

async function passOn(
  to: Place,
  req: Request,
  given: { body: Buffer | null; headers: Record<string, string> },
  signal: AbortSignal,
) {
  // Take the path alone: a request line may also name a host, which anybody could choose.
  const { pathname, search } = new URL(req.originalUrl, to.url)
  const answer = await callProved(to, {
    method: req.method,
    path: pathname + search,
    type: req.headers['content-type'],
    ...given,
    within: ANSWER_WITHIN,
    signal,
  })
  return { status: answer.status, json: Buffer.from(await answer.arrayBuffer()) }
}

const notReached = (code: string): ApiError =>
  new ApiError(
    'conflict',
    `The node that holds ${code} did not answer. Look at ${code} before you try again; "${COMMAND} nodes" shows which ones run.`,
  )

const notProved = (code: string): ApiError =>
  new ApiError(
    'conflict',
    `What answers at the address of the node that holds ${code} is not that node, or has another secret. Give every node the same KURIR_OWNER_TOKEN, and a KURIR_NODE_URL that leads to it.`,
  )

const notServed = (code: string): ApiError =>
  new ApiError(
    'conflict',
    `The node that holds ${code} serves its owner on its own computer alone. Switch remote_administration on.`,
  )

const notHeld = (code: string): ApiError =>
  new ApiError(
    'conflict',
    `No node has taken ${code} over yet. Try again in 15 seconds; "${COMMAND} nodes" shows which ones run.`,
  )
