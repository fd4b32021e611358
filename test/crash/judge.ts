import { expect } from 'vitest'
import { isShared } from '../support/engine.ts'
import type { Evidence } from './rounds.ts'
import type { Sale } from './till.ts'

const RANK: Record<string, number> = {
  'message.sent': 1,
  'message.delivered': 2,
  'message.read': 3,
  'message.failed': 1,
}
// Callbacks that may be under way when the power goes.
const CALLS_AT_ONCE = 8

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  return Map.groupBy(items, keyOf)
}

/** What was answered with 200 is there, once, under the id that was answered. */
export function judgeAccepted({ posted, messages }: Evidence): void {
  const byText = groupBy(messages, ({ body }) => body ?? '')
  for (const { text, id, insists } of posted) {
    const rows = byText.get(text) ?? []
    if (insists) expect(rows.length, `${text} was asked for until it was answered`).toBe(1)
    expect(rows.length, text).toBeLessThanOrEqual(1)
    if (id !== undefined)
      expect(
        rows.map((row) => row.id),
        text,
      ).toEqual([id])
  }
  expect(posted.filter(({ id }) => id !== undefined).length).toBeGreaterThan(0)
}

/** Every message has come to its end. */
export function judgeFinished({ messages }: Evidence): void {
  const open = messages.filter(({ status }) => status !== 'read' && status !== 'failed')
  expect(open.map(({ id, status }) => `${id} ${status}`)).toEqual([])
  expect(messages.filter(({ nextAt }) => nextAt !== null)).toEqual([])
}

/** Every status was reported: in order, each event under one id, and twice only where the power failed in between. */
export function judgeCallbacks({ messages, events, callbacks, rounds }: Evidence): void {
  const byMessage = groupBy(callbacks, ({ messageId }) => messageId)
  for (const { id, status } of messages) {
    const types = (byMessage.get(id) ?? []).map(({ type }) => type)
    expect([...new Set(types)], `callbacks of ${id}`).toEqual(events.get(id))
    expect(types.at(-1), `the end of ${id}`).toBe(`message.${status}`)
    const ranks = types.map((type) => RANK[type] ?? 0)
    expect(ranks, `order of ${id}`).toEqual(ranks.toSorted((a, b) => a - b))
  }
  const ids = groupBy(callbacks, ({ messageId, type }) => `${messageId} ${type}`)
  for (const [event, calls] of ids) expect(new Set(calls.map(({ webhookId }) => webhookId)).size, event).toBe(1)
  expect(new Set(callbacks.map(({ webhookId }) => webhookId)).size).toBe(ids.size)
  expect(callbacks.length - ids.size).toBeLessThanOrEqual((rounds + 1) * CALLS_AT_ONCE)
  expect([...byMessage.keys()].filter((id) => !messages.some((message) => message.id === id))).toEqual([])
}

/** Not one message was counted twice or forgotten. */
export function judgeFigures({ figures: { kept, anew } }: Evidence): void {
  expect(kept).toEqual(anew)
}

/** In the sandbox nothing is ever skipped. */
export function judgeSteps({ messages, events }: Evidence): void {
  for (const { id, status } of messages) {
    const steps = status === 'failed' ? ['message.failed'] : ['message.sent', 'message.delivered', 'message.read']
    expect(events.get(id), id).toEqual(steps)
  }
}

/** A message as it came to a recipient's phone. */
export interface Arrival {
  /** WhatsApp's id. */
  id: string
  text: string | undefined
}

/** Every message that was answered with 200 arrived; what arrived twice has one id; each id has one content. */
export function judgeArrivals({ posted, messages }: Evidence, arrivals: readonly Arrival[]): void {
  const byText = groupBy(arrivals, ({ text }) => text ?? '')
  const whatsappIds = new Map(messages.map(({ id, providerMessageId }) => [id, providerMessageId]))
  for (const { text, id } of posted.filter((sale) => sale.id !== undefined)) {
    const ids = new Set((byText.get(text) ?? []).map((arrival) => arrival.id))
    expect([...ids], `${text} at the phone`).toEqual([whatsappIds.get(id ?? '')])
  }
  for (const [id, same] of groupBy(arrivals, (arrival) => arrival.id)) {
    expect(new Set(same.map(({ text }) => text)).size, `contents of ${id}`).toBe(1)
  }
}

/**
 * By the first time that each was seen, messages left in the order in which they were accepted. Where several are accepted at a
 * time it is known of those of which one was answered before the other was posted.
 */
export function judgeOrder(
  { messages, posted }: { messages: Evidence['messages']; posted: readonly Sale[] },
  journal: readonly { id: string }[],
): void {
  const byStanza = new Map(messages.map((message) => [message.providerMessageId, message]))
  const left = [...new Set(journal.map(({ id }) => id))].map((id) => byStanza.get(id))
  const sales = new Map(posted.map((sale) => [sale.text, sale]))
  let answeredAt = Number.POSITIVE_INFINITY
  const overtaken: string[] = []
  for (const message of left.toReversed()) {
    const sale = sales.get(message?.body ?? '')
    if (sale === undefined) throw new Error('a stanza that is of no message')
    if (sale.postedAt > answeredAt) overtaken.push(sale.text)
    answeredAt = Math.min(answeredAt, sale.answeredAt)
  }
  expect(overtaken, 'left before one that had been answered earlier').toEqual([])
  if (isShared) return
  const seqs = left.map((message) => message?.seq ?? 0)
  expect(seqs).toEqual(seqs.toSorted((a, b) => a - b))
}
