import type { Concern } from '../../contract/concerns.ts'
import { NODE_NEWS_FOR } from '../thresholds.ts'
import { concern } from './concern.ts'
import type { ConcernFacts } from './facts.ts'

/**
 * Nodes that ended without saying so. After a day it is no news: a container never comes back under
 * its name. Pure.
 */
export const nodeConcerns = ({ goneNodes }: ConcernFacts): Concern[] =>
  goneNodes.map(({ name, seenAt, silentFor }) =>
    concern('node_gone', {
      id: `node_gone/${name}`,
      detail: name,
      since: seenAt,
      page: '/nodes',
      ...(silentFor < NODE_NEWS_FOR ? {} : { weight: 'note' }),
    }),
  )
