import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Message } from '../../server/store/index.ts'
import { engineEnv, openTestStore } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { startHttpServer } from '../support/http-server.ts'
import { bookOf, type Counted, recount } from '../support/recount.ts'
import { ask, type Program, startProgram } from './program.ts'
import { createTill, type Posted, type Sale } from './till.ts'
import { createWitness, type Moment } from './witness.ts'

export interface ReceivedCallback {
  webhookId: string
  type: string
  messageId: string
}

/** What is left to judge when the rounds are over. */
export interface Evidence {
  rounds: number
  posted: Posted[]
  /** All messages in the database, in order of arrival. */
  messages: Message[]
  /** The events of each message that callers get, by its id, in order. */
  events: Map<string, string[]>
  /** What the book of figures says, and what the messages say. */
  figures: Record<'kept' | 'anew', { now: Counted; became: Counted }>
  /** All callbacks, in order. */
  callbacks: ReceivedCallback[]
  home: string
}

export interface Variant {
  env: Record<string, string>
  /** Makes the sender on the first start. Returns its code. */
  prepare(program: Program): Promise<string>
  /** The recipient of the n-th message. */
  phoneOf(n: number): string
}

// A short run needs no lines of progress.
const PROGRESS_EVERY = 100

const MOMENTS: Moment[] = ['posted', 'answered', 'called back']

/** Kills Kurir again and again while a till posts and a receiver is called back; then lets it finish what is left. */
export async function survive(
  rounds: number,
  variant: Variant,
  random: () => number,
): Promise<Evidence & { posted: Sale[] }> {
  const home = mkdtempSync(join(tmpdir(), 'kurir-crash-'))
  const env = { ...(await engineEnv(home)), ...variant.env }
  const witness = createWitness()
  const callbacks: ReceivedCallback[] = []
  const receiver = await startHttpServer(async (req, res) => {
    const { type, data } = JSON.parse(Buffer.concat(await req.toArray()).toString())
    callbacks.push({ webhookId: String(req.headers['webhook-id']), type, messageId: data.id })
    witness.note('called back')
    res.end()
  })
  try {
    const first = await startProgram(home, env)
    const senderCode = await variant.prepare(first)
    await ask(first, '/api/webhooks', {
      url: receiver.url,
      events: ['message.sent', 'message.delivered', 'message.read', 'message.failed'],
    })
    const { key } = await ask<{ key: string }>(first, '/api/keys', { kind: 'global', name: 'till' })
    const till = createTill({ key, senderCode, phoneOf: variant.phoneOf, witness })
    await first.stop()

    for (let round = 0; round < rounds; round += 1) {
      const program = await startProgram(home, env)
      const counters = till.open(program.url)
      const moment = MOMENTS[Math.floor(random() * MOMENTS.length)] ?? 'posted'
      await witness.after(moment, 1 + Math.floor(random() * 40))
      for (let turns = Math.floor(random() * 30); turns > 0; turns -= 1) await setImmediate()
      await Promise.all([program.kill(), counters.close()])
      if (round > 0 && round % PROGRESS_EVERY === 0)
        console.log(`${round} kills, ${till.posted.length} messages posted`)
    }

    const last = await startProgram(home, env)
    await till.finish(last.url)
    await settled(last)
    await last.stop()
    return { rounds, posted: till.posted, ...(await readStore(home)), callbacks, home }
  } finally {
    await receiver.close()
  }
}

/** Until nothing is on its way any more, neither message nor callback. */
async function settled(program: Program): Promise<void> {
  const waiting = ['/messages?status=queued,sending,sent,delivered&limit=1', '/api/deliveries?state=pending&limit=1']
  for (const path of waiting) await eventually(async () => (await ask<unknown[]>(program, path)).length === 0)
}

async function readStore(home: string): Promise<Pick<Evidence, 'messages' | 'events' | 'figures'>> {
  const store = await openTestStore({ home, now: Date.now })
  try {
    const messages = await store.messages.after(0, Number.MAX_SAFE_INTEGER)
    const events = new Map<string, string[]>()
    for (const { id, seq } of messages)
      events.set(
        id,
        (await store.events.ofMessage(seq)).map(({ type }) => type),
      )
    return { messages, events, figures: { kept: await bookOf(store), anew: await recount(store, messages) } }
  } finally {
    await store.close()
  }
}
