import { useQuery } from '@tanstack/react-query'
import { nodesAnswer } from '../../server/contract/operation.ts'
import { call, done } from './client.ts'
import { queryKeys } from './query-keys.ts'
import { useChange } from './use-change.ts'

/** Milliseconds. Nodes report every 5 s that they run, without a live event. */
const EVERY = 5_000

/** Nodes that share the database. Empty if this Kurir uses it alone. */
export const useNodes = () =>
  useQuery({
    queryKey: queryKeys.nodes,
    queryFn: async ({ signal }) => (await call(nodesAnswer, '/api/nodes', { signal })).data,
    refetchInterval: EVERY,
  })

/** Removes a dead node from the list. */
export const useForgetNode = () =>
  useChange('node', (name: string) => call(done, `/api/nodes/${encodeURIComponent(name)}`, { method: 'DELETE' }))
