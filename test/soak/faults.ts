import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { LEASE_LASTS } from '../../server/store/postgres/leases.ts'
import type { Cluster } from '../cluster/world.ts'
import type { PostgresServer } from '../support/postgres-server.ts'

const SECOND = 1_000
const LOOKED_EVERY = SECOND / 4
const STARTS = 5
/** What a node had sent when it was stopped may still arrive. */
const ON_ITS_WAY = SECOND
/** A take-over that takes longer is printed with who held the number, so that its cause can be found. */
const SLOW = 24 * SECOND
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

/** When a sender was held by no sound node, in milliseconds. */
interface Gap {
  began: number
  /** Of the node that held it then: one that comes back takes its senders again, and may be hit again. */
  lastFault: number
}

/** How long it was, in milliseconds. */
interface Taken {
  all: number
  sinceLastFault: number
  /** Without what of it the server was away: nobody can take anything over then. */
  withServer: number
}

/**
 * Looks all the time which senders no sound node holds. @param faultedSince when what a node holds began to be held in vain
 * @param serverAway milliseconds from `from` to `to` in which the server was away
 */
export function watchHolders(
  cluster: Cluster,
  faultedSince: (node: string) => number | undefined,
  serverAway: (from: number, to: number) => number,
) {
  const without = new Map<string, Gap>()
  /** When a sound node last held each sender. */
  const soundAt = new Map<string, number>()
  /** Who holds each sender, as last seen. */
  const seen = new Map<string, string>()
  /** Every change of it, for who looks for the cause of a fault. */
  const history: { at: string; code: string; holder: string }[] = []
  const gaps: Taken[] = []
  let stopped = false

  async function look(): Promise<void> {
    const rows = await cluster.query<{ code: string; node: string | null; epoch: number | null; renewed: Date | null }>(
      `SELECT s.code, l.node, l.epoch, l.until - interval '${LEASE_LASTS} milliseconds' AS renewed
       FROM senders s LEFT JOIN sender_leases l ON l.sender_id = s.id AND l.until > now()
       WHERE s.kind = 'linked' AND s.deleted_at IS NULL`,
    )
    for (const { code, node, epoch, renewed } of rows) {
      const fault = node === null ? Date.now() : faultedSince(node)
      // A node that has taken or renewed it since then runs, though it may still be starting.
      const runs = fault !== undefined && renewed !== null && renewed.getTime() > fault + ON_ITS_WAY
      const since = runs ? undefined : fault
      const holder = `${node} ${epoch}${since === undefined ? '' : ', not sound'}`
      if (seen.get(code) !== holder) history.push({ at: new Date().toISOString(), code, holder })
      seen.set(code, holder)
      if (since !== undefined) {
        const begins = Math.max(since, soundAt.get(code) ?? 0)
        const gap = without.get(code) ?? { began: begins, lastFault: begins }
        const lastFault = node === null ? gap.lastFault : Math.max(gap.lastFault, since)
        without.set(code, { ...gap, lastFault })
        continue
      }
      soundAt.set(code, Date.now())
      const gap = without.get(code)
      const now = Date.now()
      if (gap !== undefined) {
        const sinceLastFault = now - gap.lastFault
        const withServer = sinceLastFault - serverAway(gap.lastFault, now)
        gaps.push({ all: now - gap.began, sinceLastFault, withServer })
        if (withServer > SLOW) {
          const from = new Date(gap.began - SLOW).toISOString()
          const holders = history.filter((each) => each.code === code && each.at > from)
          console.log(
            `${code} was without a sound node from ${new Date(gap.began).toISOString()}, last fault ${new Date(gap.lastFault).toISOString()}: ${JSON.stringify(holders.map(({ at, holder }) => `${at.slice(14, 21)} ${holder}`))}`,
          )
        }
      }
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
    gaps,
    history,
    /** How many senders no sound node holds now. */
    withoutHolder: () => without.size,
    async stop(): Promise<void> {
      stopped = true
      await watching
    },
  }
}

/**
 * Faults that play themselves out beside each other. One node at least is always sound (neither killed, frozen nor cut off, and
 * it has renewed its leases since it was), and stays so until sound nodes hold every sender again: or else nobody ever had the
 * time to take them over.
 */
export function createFaults(cluster: Cluster, server: PostgresServer, random: Random) {
  /** Nodes that are not sound, and since when; the server under `undefined`. */
  const since = new Map<string | undefined, number>()
  /** When the server was away, in the order of the calendar. */
  const away: { from: number; to: number }[] = []
  const holders = watchHolders(
    cluster,
    (node) => since.get(node),
    (from, to) => away.reduce((sum, each) => sum + Math.max(0, Math.min(to, each.to) - Math.max(from, each.from)), 0),
  )
  /** Nothing happens to it before sound nodes hold every sender. */
  let refuge: string | undefined
  const counts = new Map<string, number>()
  const underWay = new Set<Promise<void>>()
  let failure: unknown

  const count = (what: string) => void counts.set(what, (counts.get(what) ?? 0) + 1)
  const soundNodes = () => cluster.names().filter((name) => !since.has(name))

  /** The nodes to which something may happen now. */
  function candidates(): string[] {
    const sound = soundNodes()
    if (sound.length < 2) return []
    if (holders.withoutHolder() === 0) refuge = undefined
    return sound.filter((name) => name !== refuge)
  }

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

  /** What it does instead, for who looks for the cause: its state and processor time as Linux knows them, and how it is. */
  async function lookAt(name: string): Promise<string> {
    const { pid, url } = cluster.programOf(name)
    const stat = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ').slice(2, 15).join(' ')
    const before = stat()
    const health = fetch(`${url}/health`, { signal: AbortSignal.timeout(5 * SECOND) }).then((answer) => answer.text())
    return [before, await health.catch(String), stat()].join('\n')
  }

  /** Until the node has been heard of since now. */
  async function heardOf(name: string): Promise<void> {
    const now = Date.now()
    const sql = 'SELECT 1 FROM nodes WHERE name = $1 AND seen_at > $2'
    for (;;) {
      const rows = await cluster.query(sql, [name, new Date(now)]).catch(() => [])
      if (rows.length > 0) return
      if (Date.now() - now > HEARD_WITHIN) throw new Error(`${name} is not heard of: ${await lookAt(name)}`)
      await setTimeout(LOOKED_EVERY)
    }
  }

  async function playOut({ kind, node }: Begun, lasts: number): Promise<void> {
    if (node === undefined) {
      const from = Date.now()
      await server.stop('immediate')
      await setTimeout(lasts)
      await server.start()
      away.push({ from, to: Date.now() })
      return
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
    holders,
    /** The next one. Resolves when it has begun, for which it may have to wait. @throws what went wrong with an earlier one */
    async begin(): Promise<Begun> {
      const kind = pick(random, KINDS)
      const lasts = LASTS[kind](random)
      const place = random()
      const isOfServer = kind === 'the server crashed'
      while (failure === undefined && (isOfServer ? since.has(undefined) : soundNodes().length < 2))
        await setTimeout(LOOKED_EVERY)
      if (failure !== undefined) throw failure
      const node = isOfServer ? undefined : pick(() => place, candidates())
      since.set(node, Date.now())
      refuge ??= soundNodes()[0]
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
      await holders.stop()
      if (failure !== undefined) throw failure
    },
  }
}
