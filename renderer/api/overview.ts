import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import { overview } from '../../server/contract/operation.ts'
import { call } from './client.ts'
import { queryKeys } from './query-keys.ts'

export type Overview = z.infer<typeof overview>['data']
export type { Figures } from '../../server/contract/operation.ts'

export const overviewQuery = {
  // Read before the first page is drawn. The page shows an error and does not read again.
  retryOnMount: false,
  queryKey: queryKeys.overview,
  queryFn: async ({ signal }: { signal: AbortSignal }) => (await call(overview, '/api/overview', { signal })).data,
}

// Some concerns begin and end as time passes, without an event.
export const useOverview = () => useQuery({ ...overviewQuery, refetchInterval: 30_000 })

/** Marks today's failures as seen, so that they raise no alarm. */
export function useMarkFailuresSeen() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async () => (await call(overview, '/api/overview/failures-seen', { method: 'POST' })).data,
    onSuccess: (data) => queries.setQueryData(queryKeys.overview, data),
  })
}
