import { setTimeout } from 'node:timers/promises'
import type { Cluster } from '../cluster/world.ts'
import type { PostgresServer } from '../support/postgres-server.ts'

const SECOND = 1_000
const LOOKED_EVERY = SECOND / 4
const STARTS = 5
const HEARD_WITHIN = 120 * SECOND

type Random = () => number
const between = (random: Random, least: number, most: number) => (least + random() * (most - least)) * SECOND

/** Often: three of a node each time that the server crashes. How long each one lasts, in milliseconds. */
const LASTS = {
  killed: (random: Random) => between(random, 1, 10),
  frozen: () => 40 * SECOND,
  'cut from the database': (random: Random) => between(random, 2, 30),
  'the server crashed': (random: Random) => between(random, 0, 5),
} as const
export type Kind = keyof typeof LASTS
const OF_A_NODE = ['killed', 'frozen', 'cut from the database'] as const
const KINDS: readonly Kind[] = [...OF_A_NODE, ...OF_A_NODE, ...OF_A_NODE, 'the server crashed']

const pick = <T>(random: Random, all: readonly [T, ...T[]] | readonly T[]): T => {
  const one = all[Math.floor(random() * all.length)]
  if (one === undefined) throw new Error('nothing to pick from')
  return one
}

export interface Begun {
  kind: Kind
  /** Undefined: the database server. */
  node: string | undefined
}

export type Faults = ReturnType<typeof createFaults>

/**
 * Faults that play themselves out beside each other. One node at least is always sound: neither killed, frozen nor cut off, and
 * it has renewed its leases since it was.
 */
export function createFaults(cluster: Cluster, server: PostgresServer, random: Random) {
  /** Nodes that are not sound, and since when; the server under `undefined`. */
  const since = new Map<string | undefined, number>()
  const counts = new Map<string, number>()
  const underWay = new Set<Promise<void>>()
  let failure: unknown

  const count = (what: string) => void counts.set(what, (counts.get(what) ?? 0) + 1)
  const soundNodes = () => cluster.names().filter((name) => !since.has(name))

  /** As a service manager does. */
  async function startAgain(name: string): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return void (await cluster.start(name))
      } catch (error) {
        if (tries === STARTS) throw error
        count('starts that were repeated')
        await setTimeout(SECOND)
      }
    }
  }

  /** Until the node has been heard of since now. */
  async function heardOf(name: string): Promise<void> {
    const now = Date.now()
    const sql = 'SELECT 1 FROM nodes WHERE name = $1 AND seen_at > $2'
    for (;;) {
      const rows = await cluster.query(sql, [name, new Date(now)]).catch(() => [])
      if (rows.length > 0) return
      if (Date.now() - now > HEARD_WITHIN) throw new Error(`${name} is not heard of`)
      await setTimeout(LOOKED_EVERY)
    }
  }

  async function playOut({ kind, node }: Begun, lasts: number): Promise<void> {
    if (node === undefined) {
      await server.stop('immediate')
      await setTimeout(lasts)
      return server.start()
    }
    if (kind === 'killed') {
      await cluster.kill(node)
      await setTimeout(lasts)
      await startAgain(node)
    } else if (kind === 'frozen') {
      cluster.programOf(node).freeze()
      await setTimeout(lasts)
      cluster.programOf(node).thaw()
    } else {
      cluster.cut(node)
      await setTimeout(lasts)
      cluster.join(node)
    }
    await heardOf(node)
  }

  return {
    counts,
    soundNodes,
    /** When what a node holds began to be held in vain; undefined: it is sound. */
    faultedSince: (node: string) => since.get(node),
    /** The next one. Resolves when it has begun, which it does as soon as another node stays sound. @throws what went wrong with an earlier one */
    async begin(): Promise<Begun> {
      const kind = pick(random, KINDS)
      const lasts = LASTS[kind](random)
      const place = random()
      const isOfServer = kind === 'the server crashed'
      while (failure === undefined && (isOfServer ? since.has(undefined) : soundNodes().length < 2))
        await setTimeout(LOOKED_EVERY)
      if (failure !== undefined) throw failure
      const node = isOfServer ? undefined : pick(() => place, soundNodes())
      since.set(node, Date.now())
      count(kind)
      const fault: Promise<void> = playOut({ kind, node }, lasts)
        .then(() => void since.delete(node))
        .catch((error: unknown) => {
          failure ??= error
        })
        .finally(() => underWay.delete(fault))
      underWay.add(fault)
      return { kind, node }
    },
    /** Resolves when the last one is over. */
    async over(): Promise<void> {
      while (underWay.size > 0) await Promise.all(underWay)
      if (failure !== undefined) throw failure
    },
  }
}

/** Looks all the time which senders no sound node holds. */
export function watchHolders(cluster: Cluster, faults: Faults) {
  const without = new Map<string, number>()
  /** How long senders were held by no sound node, in milliseconds. */
  const times: number[] = []
  let stopped = false

  async function look(): Promise<void> {
    const rows = await cluster.query<{ code: string; node: string | null }>(
      `SELECT s.code, l.node FROM senders s LEFT JOIN sender_leases l ON l.sender_id = s.id AND l.until > now()
       WHERE s.kind = 'linked' AND s.deleted_at IS NULL`,
    )
    for (const { code, node } of rows) {
      const since = node === null ? Date.now() : faults.faultedSince(node)
      if (since !== undefined) {
        if (!without.has(code)) without.set(code, since)
        continue
      }
      const began = without.get(code)
      if (began !== undefined) times.push(Date.now() - began)
      without.delete(code)
    }
  }

  const watching = (async () => {
    while (!stopped) {
      // The server may just be gone.
      await look().catch(() => undefined)
      await setTimeout(LOOKED_EVERY)
    }
  })()
  return {
    times,
    async stop(): Promise<void> {
      stopped = true
      await watching
    },
  }
}
