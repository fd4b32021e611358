import { type Clock, SECOND } from '../lib/clock.ts'
import { greetAt } from '../lib/proved-call.ts'
import { StorageError } from '../lib/storage-error.ts'
import type { NodeRow, NodeStore } from '../store/index.ts'

/** One lost packet makes no second reporter. */
const ASKED_TIMES = 3
/** All jobs of a minute share one election: each would count an answer that did not come. */
const HOLDS_FOR = 50 * SECOND

/**
 * Elects the node that runs the jobs of all nodes: the first by name of those that run. While the
 * database does not say who does, those before this one are asked at their addresses: where none
 * has answered three times, this one does it. Two that do are better than none. Each job asks about
 * once a minute.
 */
export function createReporter(
  nodes: NodeStore,
  ownerToken: string,
  clock: Clock,
): (signal: AbortSignal) => Promise<boolean> {
  /** Those that ran when the list was last true. Undefined: it never was. */
  let before: NodeRow[] | undefined
  let unanswered = 0

  /** Another program may have the address of a node that is gone. */
  const answers = async ({ url, instance: id }: NodeRow, signal: AbortSignal): Promise<boolean> =>
    url !== null &&
    greetAt({ url, instance: { id, token: ownerToken } }, signal).then(
      () => true,
      () => false,
    )

  async function alive(): Promise<NodeRow[]> {
    try {
      return (await nodes.list()).filter((node) => node.alive)
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      return []
    }
  }

  async function elect(signal: AbortSignal): Promise<boolean> {
    const running = await alive()
    // Where the database takes no writes, nobody can say in it that it lives.
    if (running.some(({ name }) => name === nodes.name)) {
      before = running.filter(({ name }) => name < nodes.name)
      unanswered = 0
      return before.length === 0
    }
    if (before === undefined) return false
    const answered = await Promise.all(before.map((node) => answers(node, signal)))
    unanswered = answered.includes(true) ? 0 : unanswered + 1
    return before.length === 0 || unanswered >= ASKED_TIMES
  }

  let elected: { at: number; isThis: Promise<boolean> } | undefined
  return (signal) => {
    const now = clock.elapsed()
    if (elected === undefined || now - elected.at >= HOLDS_FOR) elected = { at: now, isThis: elect(signal) }
    return elected.isThis
  }
}
