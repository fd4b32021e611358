import { useQuery } from '@tanstack/react-query'
import type { z } from 'zod'
import { overview } from '../../server/contract/overview.ts'
import { call } from './client.ts'
import { queryKeys } from './query-keys.ts'

export type Overview = z.infer<typeof overview>['data']

export const useOverview = () =>
  useQuery({
    queryKey: queryKeys.overview,
    // Some concerns begin and end with time alone.
    refetchInterval: 30_000,
    queryFn: async ({ signal }) => (await call(overview, '/api/overview', { signal })).data,
  })
