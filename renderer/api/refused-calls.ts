import { useInfiniteQuery } from '@tanstack/react-query'
import type { z } from 'zod'
import { refusedCallsAnswer } from '../../server/refused-calls/contract.ts'
import { call, queryString } from './client.ts'
import { queryKeys } from './query-keys.ts'

const PAGE = 100
/** A refused call is no live event: the list is read again this often (milliseconds). */
const EVERY = 5_000

/** Calls of programs that were answered with an error, newest first. */
export const useRefusedCalls = () =>
  useInfiniteQuery({
    queryKey: queryKeys.refusedCalls,
    queryFn: ({ pageParam, signal }) =>
      call(refusedCallsAnswer, `/api/refused-calls${queryString({ limit: PAGE, cursor: pageParam })}`, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: z.infer<typeof refusedCallsAnswer>) => page.next_cursor ?? undefined,
    refetchInterval: EVERY,
  })
