import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { summaryAnswer } from '../../server/contract/summary.ts'
import { call } from './client.ts'
import { queryKeys } from './query-keys.ts'

/** @param month such as `2026-11` */
export const useSummary = (month: string) =>
  useQuery({
    queryKey: queryKeys.summary(month),
    queryFn: async ({ signal }) => (await call(summaryAnswer, `/api/summary?month=${month}`, { signal })).data,
    placeholderData: keepPreviousData,
  })
