import { type Clock, SECOND } from '../lib/clock.ts'
import { greetAt } from '../lib/proved-call.ts'
import { StorageError } from '../lib/storage-error.ts'
import type { NodeRow, NodeStore } from '../store/index.ts'

/**
 * Rounds without an answer before this node takes over, so that one lost packet does not make a
 * second reporter.
 */
const ASKED_TIMES = 3
/**
 * All jobs of one minute share an election. If each job had its own, each would count the same
 * missing answer.
 */
const HOLDS_FOR = 50 * SECOND

/**
 * Elects the node that runs the jobs of all nodes: the first running node by name. While the
 * database does not tell which nodes run, this node asks the nodes before it at their addresses,
 * and takes over after three rounds without an answer. Two reporters are better than none. Each job
 * asks about once a minute.
 */
export function createReporter(
  nodes: NodeStore,
  ownerToken: string,
  clock: Clock,
): (signal: AbortSignal) => Promise<boolean> {
  /** Running nodes before this one, as of the last valid list; undefined: there was none. */
  let before: NodeRow[] | undefined
  let unanswered = 0

  /**
   * Greets a node with a proof, because another program may use the address of a node that is gone.
   */
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
    // Use the list only if this node is in it: while the database takes no writes, no node can
    // report that it runs.
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
