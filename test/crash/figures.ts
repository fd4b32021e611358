import type { Arrival } from './judge.ts'
import type { Evidence } from './rounds.ts'

/** What was judged, as the line that bench/README.md keeps of a long run. */
export function printFigures(what: string, evidence: Evidence, arrivals?: readonly Arrival[]): void {
  const { rounds, posted, messages, callbacks, events } = evidence
  const ended = (status: string) => messages.filter((message) => message.status === status).length
  const figures: Record<string, number> = {
    kills: rounds,
    'requests of the till': posted.length,
    'answered with 200': posted.filter(({ id }) => id !== undefined).length,
    messages: messages.length,
    read: ended('read'),
    failed: ended('failed'),
    events: [...events.values()].flat().length,
    callbacks: callbacks.length,
    'callbacks given again': callbacks.length - new Set(callbacks.map(({ webhookId }) => webhookId)).size,
  }
  if (arrivals !== undefined) {
    figures['stanzas at the phones'] = arrivals.length
    figures['the same stanza again'] = arrivals.length - new Set(arrivals.map(({ id }) => id)).size
  }
  console.log(
    `${what}\n${Object.entries(figures)
      .map(([name, n]) => `  ${name}: ${n}`)
      .join('\n')}`,
  )
}
