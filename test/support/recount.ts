import { STATUSES } from '../../server/contract/messages.ts'
import { type Message, QUARTER, quarterOf, type Store } from '../../server/store/index.ts'

/** Counts by the figures' key: quarter of an hour, sender, channel, reason, and figure. */
export type Counted = Map<string, number>

const BECAME = ['became_sent', 'became_delivered', 'became_read', 'became_failed'] as const
const ARRIVED = ['sent', 'delivered', 'read']

const add = (counted: Counted, row: readonly unknown[], by: number) => {
  const key = row.join(' ')
  counted.set(key, (counted.get(key) ?? 0) + by)
}

/** Derives the history of a message from its events alone. */
async function becameOf(store: Store, { seq, status, occurredAt }: Message): Promise<[name: string, at: number][]> {
  const reached = new Map<string, number>()
  for (const { type, at } of await store.events.ofMessage(seq)) {
    const name = type.replace('message.', '')
    if (name === 'failed') reached.clear()
    else reached.delete('failed')
    for (const each of ARRIVED.slice(0, ARRIVED.indexOf(name) + 1)) if (!reached.has(each)) reached.set(each, at)
    if (name === 'failed') reached.set(name, at)
  }
  // If the clock was set meanwhile, the message's own time is the one that counts.
  if (reached.has(status)) reached.set(status, occurredAt)
  return [...reached].filter(() => [...ARRIVED, 'failed'].includes(status))
}

/** Counts the figures of these messages again, without the sandbox. */
export async function recount(store: Store, messages: readonly Message[]): Promise<{ now: Counted; became: Counted }> {
  const [now, became]: [Counted, Counted] = [new Map(), new Map()]
  for (const message of messages) {
    const { senderId, channel, status, createdAt, error } = message
    if (store.senders.sandboxes().has(senderId)) continue
    const reason = (status === 'failed' ? error?.code : undefined) ?? null
    add(now, [quarterOf(createdAt), senderId, channel, reason, status], 1)
    for (const [name, at] of await becameOf(store, message))
      add(became, [quarterOf(at), senderId, channel, name === 'failed' ? reason : null, `became_${name}`], 1)
  }
  return { now, became }
}

/** Reads the store's figures by quarter of an hour. */
export async function bookOf(store: Store): Promise<{ now: Counted; became: Counted }> {
  const quarters = new Set<number>()
  // Bisect: an empty span holds no figures, so few queries find all quarters that do.
  const look = async (since: number, until: number): Promise<void> => {
    if ((await store.figures.of([{ since, until }])).length === 0) return
    if (until - since === QUARTER) quarters.add(since)
    else {
      const half = since + Math.ceil((until - since) / QUARTER / 2) * QUARTER
      await look(since, half)
      await look(half, until)
    }
  }
  await look(0, 2 ** 22 * QUARTER)
  const [now, became]: [Counted, Counted] = [new Map(), new Map()]
  const rows = await store.figures.of([...quarters].map((since) => ({ since, until: since + QUARTER })))
  for (const row of rows) {
    const where = [row.since, row.senderId, row.channel, row.reason]
    for (const status of STATUSES) if (row[status] !== 0) add(now, [...where, status], row[status])
    for (const name of BECAME) if (row[name] !== 0) add(became, [...where, name], row[name])
  }
  return { now, became }
}
