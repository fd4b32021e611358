import { type BinaryNode, isLidUser, type USyncQuery, type USyncQueryResultList, type WASocket } from 'baileys'
import { type Clock, HOUR, MINUTE, SECOND } from '../../../lib/clock.ts'
import { refusalOf } from '../library/questions.ts'
import { childOf, childrenOf } from '../library/stanzas.ts'

/** Pause after a refused look-up if WhatsApp names none. Our own limit. */
const REST_MS = MINUTE
/**
 * Longest pause that Kurir accepts from WhatsApp, so that a wrong value does not hold customers'
 * messages for days. Our own limit.
 */
const LONGEST_REST_MS = HOUR
const TOO_MANY = 429

/** WhatsApp answers no look-ups for a while. This says nothing about the number in question. */
export class LookUpRefused extends Error {
  readonly waitMs: number
  constructor(reason: string, waitMs: number) {
    super(`WhatsApp answers no look-ups now: ${reason}`)
    this.waitMs = waitMs
  }
}

interface Refusal {
  protocol: string
  reason: string
  waitMs: number
}

export type LookUps = ReturnType<typeof createLookUps>

/**
 * Asks WhatsApp about people (USync). After a refusal, the refused protocols pause until WhatsApp
 * answers such questions again.
 */
export function createLookUps(clock: Clock) {
  /** End of the pause of each protocol, in the clock's elapsed time. */
  const restsUntil = new Map<string, number>()

  const restMs = (protocols: readonly string[]): number =>
    Math.max(0, ...protocols.map((protocol) => (restsUntil.get(protocol) ?? 0) - clock.elapsed()))

  function rest(protocols: readonly string[], reason: string, waitMs: number): never {
    for (const protocol of protocols) restsUntil.set(protocol, clock.elapsed() + waitMs)
    throw new LookUpRefused(reason, waitMs)
  }

  return {
    /** Returns the milliseconds that a question with these protocols has to wait. */
    restMs,
    /**
     * Resolves with the answer; undefined: WhatsApp did not answer.
     * @throws LookUpRefused during a pause, or if any part of the answer is an error, which the
     *   library overlooks
     */
    async ask(sock: WASocket, question: USyncQuery): Promise<USyncQueryResultList[] | undefined> {
      const protocols = question.protocols.map(({ name }) => name)
      const wait = restMs(protocols)
      if (wait > 0) throw new LookUpRefused('it was asked too often', wait)
      let refusal: Refusal | undefined
      const parse = question.parseUSyncQueryResult.bind(question)
      question.parseUSyncQueryResult = (answer) => {
        refusal = refusalIn(answer, protocols)
        return refusal === undefined ? parse(protocols.includes('contact') ? byNumber(answer) : answer) : undefined
      }
      const answer = await sock.executeUSyncQuery(question).catch((error: unknown) => {
        if (refusalOf(error) !== TOO_MANY) throw error
        return rest(protocols, String(TOO_MANY), REST_MS)
      })
      if (refusal !== undefined) return rest([refusal.protocol], refusal.reason, refusal.waitMs)
      return answer?.list
    },
  }
}

/**
 * Returns the first error of an answer, for a whole protocol or for one user: `<contact><error code
 * text backoff/></contact>`.
 */
function refusalIn(answer: BinaryNode | undefined, protocols: readonly string[]): Refusal | undefined {
  const usync = childOf(answer, 'usync')
  const parts = [childOf(usync, 'result'), ...childrenOf(childOf(usync, 'list'))].flatMap((node) => childrenOf(node))
  for (const part of parts) {
    const error = protocols.includes(part.tag) ? childOf(part, 'error') : undefined
    if (error === undefined) continue
    const { code = '?', backoff } = error.attrs
    const namedMs = Number(backoff ?? Number.NaN) * SECOND
    const waitMs = namedMs > 0 ? Math.min(namedMs, LONGEST_REST_MS) : REST_MS
    return { protocol: part.tag, reason: `${part.tag} ${code}`, waitMs }
  }
  return undefined
}

/**
 * Rewrites an answer for the library, which wants the number as `jid` and the LID in a child node.
 * WhatsApp may give the LID as `jid` and the number as `pn_jid`. A `contact` node without a type is
 * removed, because it does not say whether the number is on WhatsApp.
 */
function byNumber(answer: BinaryNode | undefined): BinaryNode | undefined {
  if (answer === undefined) return undefined
  const users = childrenOf(childOf(childOf(answer, 'usync'), 'list')).map((user) => {
    const { jid, pn_jid } = user.attrs
    const parts = childrenOf(user).filter(({ tag, attrs }) => tag !== 'contact' || attrs.type !== undefined)
    const lid = isLidUser(jid) ? [{ tag: 'lid', attrs: { val: jid ?? '' } }] : []
    return { ...user, attrs: { ...user.attrs, jid: pn_jid ?? jid ?? '' }, content: [...lid, ...parts] }
  })
  return { ...answer, content: [{ tag: 'usync', attrs: {}, content: [{ tag: 'list', attrs: {}, content: users }] }] }
}
