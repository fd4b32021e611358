import { expect } from 'vitest'
import type { Evidence } from './rounds.ts'

const RANK: Record<string, number> = {
  'message.sent': 1,
  'message.delivered': 2,
  'message.read': 3,
  'message.failed': 3,
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

/** Every status was told: in order, each event under one id, and twice only where the power went in between. */
export function judgeCallbacks({ messages, told, rounds }: Evidence): void {
  const byMessage = groupBy(told, ({ messageId }) => messageId)
  for (const { id, status } of messages) {
    const calls = byMessage.get(id) ?? []
    const types = status === 'failed' ? ['message.failed'] : ['message.sent', 'message.delivered', 'message.read']
    expect([...new Set(calls.map(({ type }) => type))], `callbacks of ${id}`).toEqual(types)
    const ranks = calls.map(({ type }) => RANK[type] ?? 0)
    expect(ranks, `order of ${id}`).toEqual(ranks.toSorted((a, b) => a - b))
  }
  const ids = groupBy(told, ({ messageId, type }) => `${messageId} ${type}`)
  for (const [event, calls] of ids) expect(new Set(calls.map(({ webhookId }) => webhookId)).size, event).toBe(1)
  expect(new Set(told.map(({ webhookId }) => webhookId)).size).toBe(ids.size)
  expect(told.length - ids.size).toBeLessThanOrEqual((rounds + 1) * CALLS_AT_ONCE)
  expect([...byMessage.keys()].filter((id) => !messages.some((message) => message.id === id))).toEqual([])
}
