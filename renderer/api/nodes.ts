import { useQuery } from '@tanstack/react-query'
import { nodesAnswer } from '../../server/contract/operation.ts'
import { call, done } from './client.ts'
import { queryKeys } from './query-keys.ts'
import { useChange } from './use-change.ts'

/** Nodes say every 5 s that they live (milliseconds); it is no live event. */
const EVERY = 5_000

/** The programs that share the database; none where it belongs to this one alone. */
export const useNodes = () =>
  useQuery({
    queryKey: queryKeys.nodes,
    queryFn: async ({ signal }) => (await call(nodesAnswer, '/api/nodes', { signal })).data,
    refetchInterval: EVERY,
  })

/** Takes one that is gone out of the list. */
export const useForgetNode = () =>
  useChange('node', (name: string) => call(done, `/api/nodes/${encodeURIComponent(name)}`, { method: 'DELETE' }))
