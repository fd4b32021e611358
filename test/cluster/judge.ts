import { expect } from 'vitest'
import { judgeAccepted, judgeArrivals, judgeCallbacks, judgeFigures, judgeFinished } from '../crash/judge.ts'
import type { Evidence } from '../crash/rounds.ts'
import type { JournalEntry } from '../support/whatsapp-peer/journal.ts'
import type { Cluster } from './world.ts'

/**
 * Each connection belongs to one node, and counts up: when a later one has written for a sender, an earlier one never does
 * again.
 */
export function judgeWriters(journal: readonly Pick<JournalEntry, 'account' | 'link'>[]): void {
  for (const [account, entries] of Map.groupBy(journal, (entry) => entry.account)) {
    const links = entries.map(({ link }) => link)
    expect(links, `connections that wrote for ${account}`).toEqual(links.toSorted((a, b) => a - b))
  }
}

/**
 * By the first time that each was seen, the messages of a sender left in the order in which they were accepted. One that
 * waits for another try steps aside: its lane goes on.
 */
function judgeOrder({ messages }: Evidence, journal: readonly JournalEntry[], steppedAside: ReadonlySet<number>): void {
  const rows = new Map(messages.map((message) => [message.providerMessageId, message]))
  for (const [account, entries] of Map.groupBy(journal, (entry) => entry.account)) {
    const all = [...new Set(entries.map(({ id }) => id))].map((id) => rows.get(id)?.seq ?? 0)
    const seqs = all.filter((seq) => !steppedAside.has(seq))
    expect(seqs, `order of ${account}`).toEqual(seqs.toSorted((a, b) => a - b))
  }
}

/** WhatsApp's server acknowledged everything of which Kurir says so. */
function judgeStatuses({ messages }: Evidence, journal: readonly JournalEntry[]): void {
  const acknowledged = new Set(journal.filter(({ acked }) => acked).map(({ id }) => id))
  const said = messages.filter(({ status }) => ['sent', 'delivered', 'read'].includes(status))
  expect(said.filter(({ providerMessageId }) => !acknowledged.has(providerMessageId ?? ''))).toEqual([])
}

/**
 * What a node was about to call when it was frozen it calls when it goes on, perhaps after what another one has called
 * since: a receiver knows the `webhook-id` by then.
 */
function firstOfEach({ callbacks }: Evidence): Evidence['callbacks'] {
  const seen = new Set<string>()
  return callbacks.filter(({ webhookId }) => !seen.has(webhookId) && seen.add(webhookId))
}

// Calls of one node that may be under way.
const CALLS_AT_ONCE = 8

function judgeRepeats(evidence: Evidence): void {
  const repeats = evidence.callbacks.length - firstOfEach(evidence).length
  expect(repeats, 'callbacks that came again').toBeLessThanOrEqual(evidence.rounds * CALLS_AT_ONCE)
}

/** Everything that must hold whatever happened. Every till is closed, and everything settled. */
export async function judge(cluster: Cluster, faults: number): Promise<Evidence> {
  const evidence = await cluster.evidence(faults)
  const journal = await cluster.peer.call('journal')
  judgeAccepted(evidence)
  judgeFinished(evidence)
  judgeCallbacks({ ...evidence, callbacks: firstOfEach(evidence) })
  judgeRepeats(evidence)
  judgeFigures(evidence)
  judgeArrivals(evidence, await cluster.arrivals())
  judgeWriters(journal)
  judgeOrder(evidence, journal, await cluster.steppedAside())
  judgeStatuses(evidence, journal)
  expect(await cluster.unreadable(), 'what no phone could read').toEqual([])
  return evidence
}
