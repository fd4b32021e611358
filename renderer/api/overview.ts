import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import { overview } from '../../server/contract/operation.ts'
import { call } from './client.ts'
import { queryKeys } from './query-keys.ts'

export type Overview = z.infer<typeof overview>['data']
export type { Figures } from '../../server/contract/operation.ts'

export const overviewQuery = {
  // Read before the first page is drawn: an error then is shown, not asked for once more.
  retryOnMount: false,
  queryKey: queryKeys.overview,
  queryFn: async ({ signal }: { signal: AbortSignal }) => (await call(overview, '/api/overview', { signal })).data,
}

// Some concerns begin and end with time alone.
export const useOverview = () => useQuery({ ...overviewQuery, refetchInterval: 30_000 })

/** The failures of this day are no alarm any more. */
export function useMarkFailuresSeen() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async () => (await call(overview, '/api/overview/failures-seen', { method: 'POST' })).data,
    onSuccess: (data) => queries.setQueryData(queryKeys.overview, data),
  })
}
