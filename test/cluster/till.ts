import { setTimeout } from 'node:timers/promises'
import { Agent, request } from 'undici'
import type { Posted } from '../crash/till.ts'

const ANSWER_WITHIN = 5_000
// Messages on their way at a time: more would only wait.
const OPEN = 5
// After a refusal.
const AGAIN_AFTER = 100
// A node that gave no answer is left out for so long, as load balancers do.
const LEFT_OUT_FOR = 10_000

export interface Till {
  posted: Posted[]
  /** Answers other than 200, by their code; `none`: no answer. */
  refused: Map<string, number>
  /** A callback about one of its messages, or of another till. */
  note(type: string, id: string): void
  /** Resolves when so many further messages of it came to their end. */
  after(more: number): Promise<void>
  /** Messages of it that came to their end. */
  ended(): number
  /** When the last one did, in milliseconds. */
  lastEnd(): number
  /** Posts nothing new; resolves when every post is answered with 200. */
  close(): Promise<void>
}

export interface TillOptions {
  token: string
  senderCode: string
  /** Milliseconds between two posts; without it, at full speed. */
  pause?: number
  /** Where nodes listen, whether they answer or not. */
  urls: () => readonly string[]
  customers: readonly string[]
}

/**
 * Posts one message after the other. Without a good answer it asks the next node, with the same Idempotency-Key, as a load
 * balancer and a careful program do. So its messages were accepted in the order of their numbers.
 */
export function createTill({ token, senderCode, urls, customers, pause = 0 }: TillOptions): Till {
  const posted: Posted[] = []
  const refused = new Map<string, number>()
  const open = new Set<string>()
  const agent = new Agent({ headersTimeout: ANSWER_WITHIN, bodyTimeout: ANSWER_WITHIN, connectTimeout: ANSWER_WITHIN })
  let ended = 0
  let lastEnd = Date.now()
  let waiting: { count: number; resolve: () => void }[] = []
  /** Ended before the answer to its post was read. */
  const early = new Set<string>()
  let room = Promise.withResolvers<void>()
  let isOpen = true
  let node = 0
  /** Until when nodes are left out, by their address. */
  const leftOut = new Map<string, number>()

  /** The next one in turn that is not left out; when all are, the next one. */
  function nextUrl(): string {
    const all = urls()
    const inTurn = [...all.slice(node % all.length), ...all.slice(0, node % all.length)]
    return inTurn.find((url) => (leftOut.get(url) ?? 0) < Date.now()) ?? inTurn[0] ?? ''
  }

  /** @returns its id; undefined: ask another node */
  async function post(url: string, text: string): Promise<string | undefined> {
    try {
      const answer = await request(`${url}/send`, {
        method: 'POST',
        dispatcher: agent,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': text },
        body: JSON.stringify({
          sender_code: senderCode,
          phone: customers[posted.length % customers.length],
          message: text,
        }),
      })
      const body = (await answer.body.json()) as { data: { id: string }; error?: { code: string } }
      if (answer.statusCode === 200) return body.data.id
      const code = body.error?.code ?? String(answer.statusCode)
      refused.set(code, (refused.get(code) ?? 0) + 1)
    } catch {
      leftOut.set(url, Date.now() + LEFT_OUT_FOR)
      refused.set('none', (refused.get('none') ?? 0) + 1)
    }
    return undefined
  }

  async function work(): Promise<void> {
    for (let n = 0; isOpen; n += 1) {
      const sale: Posted = { text: `${senderCode} sale ${n}`, id: undefined, insists: true }
      posted.push(sale)
      while (sale.id === undefined) {
        sale.id = await post(nextUrl(), sale.text)
        if (sale.id !== undefined) break
        node += 1
        await setTimeout(AGAIN_AFTER)
      }
      if (!early.delete(sale.id)) open.add(sale.id)
      while (isOpen && open.size >= OPEN) await room.promise
      if (isOpen && pause > 0) await setTimeout(pause)
      // Every message goes to another node than the one before.
      node += 1
    }
  }

  const working = work()
  working.catch(() => undefined)
  return {
    posted,
    refused,
    note(type, id) {
      if (type !== 'message.read' && type !== 'message.failed') return
      if (!open.delete(id)) return void early.add(id)
      ended += 1
      lastEnd = Date.now()
      room.resolve()
      room = Promise.withResolvers()
      for (const { resolve } of waiting.filter(({ count }) => count <= ended)) resolve()
      waiting = waiting.filter(({ count }) => count > ended)
      return undefined
    },
    ended: () => ended,
    lastEnd: () => lastEnd,
    after: (more) => new Promise((resolve) => waiting.push({ count: ended + more, resolve })),
    async close() {
      isOpen = false
      room.resolve()
      await working
      await agent.destroy()
    },
  }
}
