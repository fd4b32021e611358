import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  type LearnRequest,
  printAnswer,
  printerAnswer,
  printsAnswer,
  type SendPrintRequest,
  type UpdatePrinter,
} from '../../server/slices/printer/contract.ts'
import { call, done, queryString } from './client.ts'
import { queryKeys } from './query-keys.ts'
import { useChange } from './use-change.ts'

const PRINTER = '/api/printer'
const path = (id: string) => `/api/prints/${encodeURIComponent(id)}`
const MOST_SHOWN = 200
/** Milliseconds. No live event says that the till printed. */
const LOOK_EVERY = 3_000

export const usePrinter = () =>
  useQuery({
    queryKey: queryKeys.printer,
    queryFn: async ({ signal }) => (await call(printerAnswer, PRINTER, { signal })).data,
    refetchInterval: LOOK_EVERY,
  })

/** Prints, newest first. @param status prints with this status only; undefined: all */
export const usePrints = (status?: 'waiting') =>
  useQuery({
    queryKey: queryKeys.printList(status),
    queryFn: async ({ signal }) =>
      (await call(printsAnswer, `/api/prints${queryString({ limit: MOST_SHOWN, status })}`, { signal })).data,
    refetchInterval: LOOK_EVERY,
  })

/** One print, with what the present rules find on it. */
export const usePrint = (id: string | undefined) =>
  useQuery({
    enabled: id !== undefined,
    queryKey: queryKeys.print(id ?? ''),
    queryFn: async ({ signal }) => (await call(printAnswer, path(id ?? ''), { signal })).data,
  })

export const useUpdatePrinter = () =>
  useChange('print', (body: UpdatePrinter) => call(printerAnswer, PRINTER, { method: 'PATCH', body }))

export const useLearn = () =>
  useChange('print', (body: LearnRequest) => call(printerAnswer, `${PRINTER}/learn`, { method: 'POST', body }))

export const useSendPrint = (id: string) =>
  useChange('print', (body: SendPrintRequest) => call(done, `${path(id)}/send`, { method: 'POST', body }))

/** Deletes a print. Does not invalidate the print itself, because its drawer is still open. */
export function useRemovePrint(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => call(done, path(id), { method: 'DELETE' }),
    onSettled: () =>
      Promise.all(
        [queryKeys.prints, queryKeys.printer, queryKeys.overview].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      ),
  })
}
