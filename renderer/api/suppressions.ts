import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import {
  type CreateSuppressionRequest,
  suppressionAnswer,
  suppressionCheckAnswer,
  suppressionImportAnswer,
  suppressionRemovedAnswer,
  suppressionsAnswer,
} from '../../server/contract/suppressions.ts'
import { call, queryString } from './client.ts'
import { queryKeys } from './query-keys.ts'
import { upload } from './upload.ts'
import { useChange } from './use-change.ts'

const PAGE = 100
/** An opt-out that comes in is no live event: the list is read again this often (milliseconds). */
const EVERY = 5_000

/**
 * Numbers that do not want messages, newest first.
 * @param phone as the contract takes it; undefined: all
 */
export const useSuppressions = (phone?: string) =>
  useInfiniteQuery({
    queryKey: queryKeys.suppressionList(phone),
    queryFn: ({ pageParam, signal }) =>
      call(suppressionsAnswer, `/suppressions${queryString({ phone, limit: PAGE, cursor: pageParam })}`, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: z.infer<typeof suppressionsAnswer>) => page.next_cursor ?? undefined,
    staleTime: 0,
    refetchInterval: EVERY,
  })

export const useAddSuppression = () =>
  useChange('suppression', (body: CreateSuppressionRequest) =>
    call(suppressionAnswer, '/suppressions', { method: 'POST', body }),
  )

interface SuppressionName {
  phone: string
  sender_code: string | null
}

export const useRemoveSuppression = () =>
  useChange('suppression', ({ phone, sender_code }: SuppressionName) =>
    call(
      suppressionRemovedAnswer,
      `/suppressions${queryString({ phone, ...(sender_code === null ? {} : { sender_code }) })}`,
      { method: 'DELETE' },
    ),
  )

/** How a table is understood; nothing is taken. */
export const useCheckSuppressions = () =>
  useMutation({
    mutationFn: async (file: File) =>
      (await upload(suppressionCheckAnswer, '/api/suppressions/import/check', file, {})).data,
  })

/** Takes a table; the answer says how many lines were taken, and which were not. */
export function useImportSuppressions() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (file: File) =>
      (await upload(suppressionImportAnswer, '/api/suppressions/import', file, {})).data,
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.suppressions }),
  })
}
