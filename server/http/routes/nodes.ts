import { nodesAnswer } from '../../contract/nodes.ts'
import { isoTime } from '../../lib/clock.ts'
import type { NodeStore } from '../../store/index.ts'
import { defineRoute, ok, type Route } from '../route.ts'

export const nodeRoutes = (nodes: Pick<NodeStore, 'name' | 'list'> | null): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/nodes',
    auth: 'owner',
    tag: 'Operation',
    summary: 'The nodes that share the database; empty where it belongs to this program alone',
    answer: nodesAnswer,
    handler: async () => {
      const rows = (await nodes?.list()) ?? []
      const views = rows.map(({ startedAt, seenAt, takenOver, ...row }) => ({
        ...row,
        started_at: isoTime(startedAt),
        seen_at: isoTime(seenAt),
        taken_over: takenOver,
        this: row.name === nodes?.name,
      }))
      return ok('Nodes.', views)
    },
  }),
]
