import pg from 'pg'
import type { StorageProblem } from '../../lib/storage-error.ts'
import { type Pool, receivedBy } from './pool.ts'

export interface WatchDeps {
  server: Pool
  memory: { refresh(): Promise<string[]> }
  /** Why the last write failed; null: it succeeded. */
  problem: () => StorageProblem | null
  tryToWrite: () => Promise<unknown>
}

/**
 * Checks, at least every `every` milliseconds, what the server and the other nodes did, so that a
 * fault is noticed even if nobody writes. A trial write decides whether there is a fault.
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

  /** Reads changed tables again. Resolves with false if the server takes no writes. */
  async function read(): Promise<boolean> {
    // One query after the other, so that a renewal of leases finds the other connection free.
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

  /**
   * Runs one check after the other. A check that has not begun will see every change so far, so
   * calls share it.
   */
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
    /** True if the last check was answered. */
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
// NOTIFY limits a payload to 8,000 bytes.
const LONGEST = 7_000
const GATHER_FOR = 20
const AGAIN_AFTER = 1_000
// So that bytes arrive all the time while the server answers (pool.ts).
const ASKED_EVERY = 1_000
const ANSWER_WITHIN = 10_000

/**
 * Sends and receives hints between nodes, by LISTEN and NOTIFY on a connection of their own. Hints
 * only save time; nothing else depends on them.
 * @param notify sends a payload to all nodes
 * @param changed called when another node changed cached data
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
    // Ask regularly: a dead connection is as silent as one without hints.
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
    /** Payload of a transaction that changes cached data; nodes receive it after the commit. */
    changed: `${node}\n${CHANGED}`,
    /** Sends a hint; equal hints within a moment are sent once. */
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
/** Sends an empty payload. */
export const NOTIFIES = `SELECT pg_notify('${CHANNEL}', '')`
