import { useMutation } from '@tanstack/react-query'
import { type BulkAction, bulkAnswer, undoneAnswer } from '../../server/slices/bulk/contract.ts'
import { call } from './client.ts'
import type { MessageFilters } from './message-filters.ts'

/** Starts an action on all messages that match. The answer says until when it can be undone. */
export const useBulk = () =>
  useMutation({
    mutationFn: async ({ filters, ...body }: { action: BulkAction; filters: MessageFilters; to?: string }) =>
      (await call(bulkAnswer, '/api/bulk', { method: 'POST', body: { ...body, filter: filters } })).data,
  })

export const useUndoBulk = () =>
  useMutation({
    mutationFn: async (id: string) => (await call(undoneAnswer, `/api/bulk/${id}`, { method: 'DELETE' })).data.undone,
  })
