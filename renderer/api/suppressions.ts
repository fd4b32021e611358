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
/** Milliseconds. No live event says that an opt-out came in. */
const EVERY = 5_000

/**
 * Opt-outs, newest first.
 * @param phone opt-outs of this number only; undefined: all
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

/** Resolves with how Kurir reads a table of opt-outs. Stores nothing. */
export const useCheckSuppressions = () =>
  useMutation({
    mutationFn: async (file: File) =>
      (await upload(suppressionCheckAnswer, '/api/suppressions/import/check', file, {})).data,
  })

/** Imports a table of opt-outs. Resolves with the count of imported lines and the refused ones. */
export function useImportSuppressions() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (file: File) =>
      (await upload(suppressionImportAnswer, '/api/suppressions/import', file, {})).data,
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.suppressions }),
  })
}
