import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { z } from 'zod'
import {
  checkAnswer,
  type ShownRows,
  type sendTableRequest,
  type TableAction,
  type TableView,
  tableAnswer,
  tableLinesAnswer,
  type tablePlan,
  tablesAnswer,
} from '../../server/slices/tables/contract.ts'
import { call, done, queryString } from './client.ts'
import { queryKeys } from './query-keys.ts'
import { upload } from './upload.ts'
import { useChange } from './use-change.ts'

const PATH = '/api/tables'
const path = (id: string) => `${PATH}/${encodeURIComponent(id)}`
const NAME_MAX = 120
const ROWS = 100
/** Milliseconds. `soon`: while a table is sent. `later`: while customers receive and read it. */
const LOOK_EVERY = { soon: 2_000, later: 10_000 }

const lookEvery = (state: TableView['state'] | undefined): number | false => {
  if (state === undefined || state === 'draft') return false
  return state === 'done' || state === 'cancelled' ? LOOK_EVERY.later : LOOK_EVERY.soon
}

/** The owner's tables, newest first. */
export const useTables = () =>
  useQuery({
    queryKey: queryKeys.tables,
    queryFn: async ({ signal }) => (await call(tablesAnswer, PATH, { signal })).data,
  })

export const useTable = (id: string) =>
  useQuery({
    queryKey: queryKeys.table(id),
    queryFn: async ({ signal }) => (await call(tableAnswer, path(id), { signal })).data,
    refetchInterval: ({ state }) => lookEvery(state.data?.state),
  })

/** Rows of a table and their outcomes, in pages. @param show one kind only; undefined: all */
export function useTableRows({ id, state, counts }: TableView, show: ShownRows | undefined) {
  const list = useInfiniteQuery({
    queryKey: queryKeys.tableRows(id, show),
    queryFn: ({ pageParam, signal }) =>
      call(tableLinesAnswer, `${path(id)}/rows${queryString({ limit: ROWS, cursor: pageParam, show })}`, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: z.infer<typeof tableLinesAnswer>) => page.next_cursor ?? undefined,
    refetchInterval: lookEvery(state),
  })
  const { refetch, isFetchingNextPage } = list
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows are never older than the counts above them
  useEffect(() => {
    // A refetch would cancel the read of the next page.
    if (!isFetchingNextPage) void refetch()
  }, [state, counts, refetch, isFetchingNextPage])
  return list
}

/** Uploads the file of a table. Sends no messages. */
export const useTakeTable = () =>
  useChange('table', async (file: File) => {
    const headers = { 'x-filename': encodeURIComponent(file.name.slice(0, NAME_MAX)) }
    return (await upload(tableAnswer, PATH, file, headers)).data
  })

export type Plan = z.input<typeof tablePlan>

export const useCheckTable = (id: string) =>
  useMutation({
    mutationFn: async (body: Plan) => (await call(checkAnswer, `${path(id)}/check`, { method: 'POST', body })).data,
  })

export const useSendTable = (id: string) =>
  useChange('table', (body: z.input<typeof sendTableRequest>) =>
    call(tableAnswer, `${path(id)}/send`, { method: 'POST', body }),
  )

export const useTableAction = (id: string) =>
  useChange(
    'table',
    async (action: TableAction) =>
      (await call(tableAnswer, `${path(id)}/action`, { method: 'POST', body: { action } })).data,
  )

/** Deletes a draft. Invalidates only the list, because the draft's page is still open. */
export function useRemoveTable(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => call(done, path(id), { method: 'DELETE' }),
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.tables, exact: true }),
  })
}
