import { emptyAnswer } from '../contract/envelope.ts'
import { ApiError } from '../contract/errors.ts'
import { nodeParams, nodesAnswer } from '../contract/nodes.ts'
import { defineRoute, ok, type Route } from '../http/route.ts'
import { isoTime } from '../lib/clock.ts'
import { COMMAND } from '../lib/command.ts'
import type { NodeStore } from '../store/index.ts'

const owner = { auth: 'owner', tag: 'Operation' } as const

export const nodeRoutes = (nodes: NodeStore | null): Route[] => [
  defineRoute({
    ...owner,
    method: 'GET',
    path: '/api/nodes',
    summary: 'List the nodes that share the database',
    description: 'Empty where the database belongs to this program alone.',
    answer: nodesAnswer,
    handler: async () => {
      const rows = (await nodes?.list()) ?? []
      const views = rows.map(({ instance, startedAt, seenAt, silentFor, takenOver, ...row }) => ({
        ...row,
        started_at: isoTime(startedAt),
        seen_at: isoTime(seenAt),
        taken_over: takenOver,
        this: row.name === nodes?.name,
      }))
      return ok('Nodes.', views)
    },
  }),
  defineRoute({
    ...owner,
    method: 'DELETE',
    path: '/api/nodes/{name}',
    summary: 'Forget a node that is gone for good',
    description: '409 while it runs; a node that was stopped leaves the list itself.',
    params: nodeParams,
    answer: emptyAnswer,
    handler: async ({ params: { name } }) => {
      switch ((await nodes?.forget(name)) ?? 'unknown') {
        case 'alive':
          throw new ApiError(
            'conflict',
            `${name} runs, or did so 15 seconds ago. Stop it: then it leaves the list by itself.`,
          )
        case 'unknown':
          throw new ApiError('not_found', `There is no node ${name}. "${COMMAND} nodes" shows which ones there are.`)
        case 'forgotten':
          return ok('Taken out of the list.', {})
      }
    },
  }),
]
