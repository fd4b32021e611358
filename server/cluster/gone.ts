import type { Concern } from '../contract/concerns.ts'
import { concern } from '../health/concerns/concern.ts'
import type { StorageProblem } from '../lib/storage-error.ts'
import { DAY, MINUTE } from '../lib/time.ts'
import type { NodeStore } from '../store/index.ts'

/** A silent node is gone after this, while this one hears: a restart is through by then. */
const GONE_AFTER = MINUTE

/** After this it is no news: a container never comes back under its name. */
const NEWS_FOR = DAY

interface Gone {
  name: string
  seenAt: number
  /** Milliseconds since it was heard of. */
  silentFor: number
}

/**
 * Finds nodes that ended without saying so.
 * @param heardForMs since when this one hears of the others without a break
 */
export async function findGone(
  { name: own, list }: { name: string; list: NodeStore['list'] },
  problem: StorageProblem | null,
  heardForMs: number,
): Promise<Gone[]> {
  // Nobody can say that it runs where nothing can be written. After that, and after a start, those
  // that run need a moment.
  if (problem !== null || heardForMs < GONE_AFTER) return []
  const rows = await list()
  return rows.filter(({ name, silentFor }) => name !== own && silentFor >= GONE_AFTER)
}

/** Tells of a node that is gone. Times go by the database's clock. Pure. */
export const nodeConcern = ({ name, seenAt, silentFor }: Gone): Concern =>
  concern('node_gone', {
    id: `node_gone/${name}`,
    detail: name,
    since: seenAt,
    page: '/nodes',
    ...(silentFor < NEWS_FOR ? {} : { weight: 'note' }),
  })
