import pg from 'pg'
import type { StorageProblem } from '../../lib/storage-error.ts'
import { type Pool, receivedBy } from './pool.ts'

export interface WatchDeps {
  server: Pool
  memory: { refresh(): Promise<string[]> }
  /** Why the newest write did not go through. */
  problem: () => StorageProblem | null
  /** Tries whether one goes through now. */
  tryToWrite: () => Promise<unknown>
}

/**
 * Looks, at least every `every` milliseconds, what the server and the other nodes have done: a
 * fault is found also where nobody writes; a write that is tried has the last word.
 */
export function createWatch({ server, memory, problem, tryToWrite }: WatchDeps, every: number) {
  let stopped = false
  let isAnswered = true
  let onChange: (tables: readonly string[]) => void = () => {}
  let onProblem: (problem: StorageProblem | null) => void = () => {}
  let known: StorageProblem | null = null
  let checking = Promise.resolve()
  let next: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  /** Reads again what has changed. Resolves with whether the server may take writes. */
  async function read(): Promise<boolean> {
    // One after the other: a renewal of leases finds the other connection free.
    const writable = await isWritable(server)
    isAnswered = true
    const changed = await memory.refresh()
    if (changed.length > 0) onChange(changed)
    return writable
  }

  async function check(): Promise<void> {
    const writable = await read().catch(() => {
      isAnswered = false
      return false
    })
    if (!writable || problem() !== null) await tryToWrite()
    if (problem() === known) return
    known = problem()
    onProblem(known)
  }

  /** One after the other; one that has not begun will see all that is there now. */
  function checkNow(): Promise<void> {
    if (next === undefined) {
      next = checking
        .then(() => {
          next = undefined
          return stopped ? undefined : check()
        })
        .catch(() => undefined)
      checking = next
    }
    return next
  }

  return {
    checkNow,
    /** True if the newest look was answered. */
    isAnswered: () => isAnswered,
    onChange(listener: typeof onChange) {
      onChange = listener
    },
    onProblem(listener: typeof onProblem) {
      onProblem = listener
    },
    start(): void {
      timer = setInterval(checkNow, every).unref()
    },
    async stop(): Promise<void> {
      stopped = true
      clearInterval(timer)
      await checking
    },
  }
}

async function isWritable(server: Pool): Promise<boolean> {
  const { rows } = await server.query<{ writable: boolean }>('SELECT NOT pg_is_in_recovery() AS writable')
  return rows[0]?.writable ?? false
}

const CHANNEL = 'kurir'
const CHANGED = 'changed'
// A payload of NOTIFY is limited to 8,000 bytes.
const LONGEST = 7_000
const GATHER_FOR = 20
const AGAIN_AFTER = 1_000
// So that a server that answers is heard all the time (pool.ts).
const ASKED_EVERY = 1_000
const ANSWER_WITHIN = 10_000

/**
 * Hints between nodes, by LISTEN and NOTIFY on a connection of their own. Nothing depends on them
 * but time.
 * @param notify sends a payload to all nodes
 * @param changed another node has changed what is kept in memory
 */
export function createHints(
  url: string,
  node: string,
  notify: (payload: string) => Promise<unknown>,
  changed: () => void,
) {
  const listeners = new Set<(hint: string | null) => void>()
  let waiting: string[] = []
  let gathering: NodeJS.Timeout | undefined
  let again: NodeJS.Timeout | undefined
  let client: pg.Client | undefined
  let stopped = false

  const tell = (hint: string | null) => {
    for (const listener of listeners) listener(hint)
  }

  async function listen(): Promise<void> {
    const mine = new pg.Client({
      connectionString: url,
      application_name: 'kurir hints',
      connectionTimeoutMillis: ANSWER_WITHIN,
      query_timeout: ANSWER_WITHIN,
    })
    client = mine
    const hangUp = () => mine.connection.stream.destroy()
    let asking: NodeJS.Timeout | undefined
    // A line that is dead says nothing, as one on which nothing is said.
    function askAgain(): void {
      asking = setTimeout(() => void mine.query('SELECT 1').then(askAgain, hangUp), ASKED_EVERY).unref()
    }
    mine.on('error', () => undefined)
    mine.once('end', () => {
      clearTimeout(asking)
      if (stopped) return
      again = setTimeout(() => void listen(), AGAIN_AFTER).unref()
    })
    mine.on('notification', ({ payload = '' }) => {
      const [from, ...hints] = payload.split('\n')
      if (from === node) return
      for (const hint of hints) {
        if (hint === CHANGED) changed()
        else tell(hint)
      }
    })
    try {
      await mine.connect()
      await mine.query(`LISTEN ${CHANNEL}`)
      askAgain()
      tell(null)
    } catch {
      hangUp()
    }
  }

  function flush(): void {
    gathering = undefined
    const hints = waiting
    waiting = []
    let payload = node
    const send = () => void notify(payload).catch(() => undefined)
    for (const hint of hints) {
      if (payload.length + hint.length > LONGEST) {
        send()
        payload = node
      }
      payload += `\n${hint}`
    }
    send()
  }

  return {
    start: listen,
    received: () => (client === undefined ? 0 : receivedBy(client)),
    hangUp: () => void client?.connection.stream.destroy(),
    /**
     * The payload of a transaction that changes what nodes keep in memory: they hear of it when it
     * is committed.
     */
    changed: `${node}\n${CHANGED}`,
    /** The same hint said twice within a moment is said once. */
    say(hint: string): void {
      if (stopped || waiting.includes(hint)) return
      waiting.push(hint)
      gathering ??= setTimeout(flush, GATHER_FOR)
    },
    onHint: (listener: (hint: string | null) => void) => void listeners.add(listener),
    stop(): void {
      stopped = true
      clearTimeout(gathering)
      clearTimeout(again)
      client?.connection.stream.destroy()
    },
  }
}

export const NOTIFY = `SELECT pg_notify('${CHANNEL}', $1)`
/** The same with nothing to say. */
export const NOTIFIES = `SELECT pg_notify('${CHANNEL}', '')`
