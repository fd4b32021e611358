import { useInfiniteQuery } from '@tanstack/react-query'
import type { z } from 'zod'
import { ownerActsAnswer } from '../../server/slices/owner-acts/contract.ts'
import { call, queryString } from './client.ts'
import { queryKeys } from './query-keys.ts'

const PAGE = 50

/** Acts of owners, newest first. Read at each visit, because every change adds an act. */
export const useOwnerActs = () =>
  useInfiniteQuery({
    queryKey: queryKeys.ownerActs,
    queryFn: ({ pageParam, signal }) =>
      call(ownerActsAnswer, `/api/owner-acts${queryString({ limit: PAGE, cursor: pageParam })}`, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: z.infer<typeof ownerActsAnswer>) => page.next_cursor ?? undefined,
    refetchOnMount: 'always',
  })
