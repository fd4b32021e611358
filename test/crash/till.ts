import { Agent, request } from 'undici'
import type { Witness } from './witness.ts'

/** What the till knows of one sale's message. */
export interface Posted {
  /** Its text; never used twice. */
  text: string
  /** The id in the answer, if one came. */
  id: string | undefined
  /** Whether it was posted with an Idempotency-Key, and so again until it was answered. */
  insists: boolean
}

/** With when it was first posted, and when its answer was there: counted, not timed. */
export interface Sale extends Posted {
  postedAt: number
  /** Infinity where no answer came. */
  answeredAt: number
}

export interface TillOptions {
  key: string
  senderCode: string
  /** The recipient of the n-th message. */
  phoneOf: (n: number) => string
  witness: Witness
}

/** A program that posts without pause, at several counters, whether Kurir is there or not. */
export function createTill({ key, senderCode, phoneOf, witness }: TillOptions) {
  const posted: Sale[] = []
  // What was not answered when the line broke and may be asked again.
  let unsure: { n: number; sale: Sale }[] = []
  let moment = 0

  async function post(agent: Agent, url: string, n: number, sale: Sale): Promise<void> {
    witness.note('posted')
    const answer = await request(`${url}/send`, {
      method: 'POST',
      dispatcher: agent,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...(sale.insists ? { 'idempotency-key': sale.text } : {}),
      },
      body: JSON.stringify({ sender_code: senderCode, phone: phoneOf(n), message: sale.text, reference_id: sale.text }),
    })
    const { data } = (await answer.body.json()) as { data: { id: string } }
    if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`)
    sale.id = data.id
    sale.answeredAt = moment++
    witness.note('answered')
  }

  const newSale = (n: number): Sale => ({
    ...{ text: `sale ${n}`, id: undefined, insists: n % 2 === 0 },
    ...{ postedAt: moment++, answeredAt: Number.POSITIVE_INFINITY },
  })

  async function counter(agent: Agent, url: string, isOpen: () => boolean): Promise<void> {
    while (isOpen()) {
      const again = unsure.shift()
      const n = again?.n ?? posted.length
      const sale = again?.sale ?? newSale(n)
      if (again === undefined) posted.push(sale)
      try {
        await post(agent, url, n, sale)
      } catch (error) {
        if (sale.insists) unsure.push({ n, sale })
        if (isOpen()) throw error
      }
    }
  }

  return {
    posted,
    /** Posts until `close`; rejects if Kurir refuses one while it is there. */
    open(url: string): { close(): Promise<void> } {
      let isOpen = true
      const agent = new Agent({ connections: 4 })
      const counters = Promise.all([0, 1, 2, 3].map(() => counter(agent, url, () => isOpen)))
      counters.catch(() => undefined)
      return {
        async close() {
          isOpen = false
          await agent.destroy()
          await counters
        },
      }
    },
    /** Asks again for every answer that is owed. */
    async finish(url: string): Promise<void> {
      const agent = new Agent()
      for (const { n, sale } of unsure) await post(agent, url, n, sale)
      unsure = []
      await agent.destroy()
    },
  }
}
