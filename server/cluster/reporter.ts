import { type Dispatcher, request } from 'undici'
import { z } from 'zod'
import { StorageError } from '../lib/storage-error.ts'
import { SECOND } from '../lib/time.ts'
import type { NodeRow, NodeStore } from '../store/index.ts'

const ANSWER_WITHIN = 5 * SECOND
/** Many times what `/health` says. */
const MOST_BYTES = 64 * 1024
/** One lost packet makes no second reporter. */
const ASKED_TIMES = 3

/** What every answer of Kurir has, also one that refuses: another program may have the address of a node that is gone. */
const ofKurir = z.object({ success: z.boolean(), message: z.string() })

export interface ReporterDeps {
  nodes: Pick<NodeStore, 'list' | 'name'>
  /** A guarded one. */
  dispatcher: Dispatcher
}

/**
 * Of the nodes that share a database, the one that does what is done once for all: the first by name of those that run. While
 * the database does not say who does, those before this one are asked at their addresses: where none has answered three times,
 * this one does it. Two that do are better than none. Called about once a minute.
 */
export function createReporter({ nodes, dispatcher }: ReporterDeps): (signal: AbortSignal) => Promise<boolean> {
  /** Those that ran when the list was last true. Undefined: it never was. */
  let before: NodeRow[] | undefined
  let unanswered = 0

  async function alive(): Promise<NodeRow[]> {
    try {
      return (await nodes.list()).filter((node) => node.alive)
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      return []
    }
  }

  return async (signal) => {
    const running = await alive()
    // Where the database takes no writes, nobody can say in it that it lives.
    if (running.some(({ name }) => name === nodes.name)) {
      before = running.filter(({ name }) => name < nodes.name)
      unanswered = 0
      return before.length === 0
    }
    if (before === undefined) return false
    const answers = await Promise.all(before.map(({ url }) => isThere(url, dispatcher, signal)))
    unanswered = answers.includes(true) ? 0 : unanswered + 1
    return before.length === 0 || unanswered >= ASKED_TIMES
  }
}

/** Whether a Kurir answers there, whatever it says. */
async function isThere(url: string | null, dispatcher: Dispatcher, signal: AbortSignal): Promise<boolean> {
  if (url === null) return false
  try {
    const within = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN)])
    const { body } = await request(new URL('/health', url), { dispatcher, signal: within })
    const parts: Buffer[] = []
    let size = 0
    for await (const part of body as AsyncIterable<Buffer>) {
      parts.push(part)
      size += part.length
      if (size > MOST_BYTES) return false
    }
    return ofKurir.safeParse(JSON.parse(Buffer.concat(parts).toString())).success
  } catch {
    return false
  }
}
