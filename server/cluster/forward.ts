import type { RequestHandler } from 'express'
import { request } from 'undici'
import { SECOND } from '../lib/time.ts'
import type { NodeStore, SenderStore } from '../store/index.ts'

const FORWARDED = 'x-kurir-forwarded'
const ANSWER_WITHIN = 30 * SECOND
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

/**
 * What the owner does with one sender (link, unlink, resume, look at its code) is done by the node that holds it: the
 * connection is there. A request comes here first, is passed on as it is, and is passed on once at most.
 */
export function forwardToHolder({
  nodes,
  senders,
}: {
  nodes: Pick<NodeStore, 'holds' | 'urlOf'>
  senders: Pick<SenderStore, 'byCode'>
}): RequestHandler {
  return async (req, res, next) => {
    const code = OF_ONE_SENDER.exec(req.path)?.[1]
    const sender = code === undefined ? undefined : senders.byCode(decodeURIComponent(code))
    if (sender === undefined || nodes.holds(sender.id) || req.headers[FORWARDED] !== undefined) return next()
    const url = await nodes.urlOf(sender.id)
    if (url === undefined) return next()
    const headers = Object.fromEntries(Object.entries(req.headers).filter(([name]) => !HOP_BY_HOP.includes(name)))
    const answer = await request(new URL(req.originalUrl, url), {
      method: req.method as 'GET',
      headers: { ...headers, [FORWARDED]: '1' },
      body: req.method === 'GET' || req.method === 'DELETE' ? null : req,
      headersTimeout: ANSWER_WITHIN,
      bodyTimeout: ANSWER_WITHIN,
    })
    const kept = Object.entries(answer.headers).filter(([name]) => !HOP_BY_HOP.includes(name))
    res.writeHead(answer.statusCode, Object.fromEntries(kept))
    answer.body.pipe(res)
  }
}
