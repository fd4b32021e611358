import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { z } from 'zod'
import { answer } from '../../server/contract/envelope.ts'
import {
  type CreateSenderRequest,
  type LinkRequest,
  type SenderView,
  senderAnswer,
  sendersAnswer,
  type UpdateSenderRequest,
} from '../../server/contract/senders.ts'
import { call } from './client.ts'

const done = answer(z.unknown())
const path = (code: string) => `/api/senders/${encodeURIComponent(code)}`

const sendersQuery = {
  queryKey: ['senders'] as const,
  queryFn: async ({ signal }: { signal: AbortSignal }) => (await call(sendersAnswer, '/api/senders', { signal })).data,
}

export const useSenders = () => useQuery(sendersQuery)

/** One sender of the list; undefined data while loading or when there is none of this code. */
export const useSender = (code: string) =>
  useQuery({ ...sendersQuery, select: (senders: SenderView[]) => senders.find((s) => s.sender_code === code) })

/** A change to senders; the list is read again before the promise ends. */
function useSenderChange<Input, Output>(change: (input: Input) => Promise<Output>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSettled: () => client.invalidateQueries({ queryKey: sendersQuery.queryKey }),
  })
}

export const useCreateSender = () =>
  useSenderChange((body: CreateSenderRequest) => call(senderAnswer, '/api/senders', { method: 'POST', body }))

export const useUpdateSender = (code: string) =>
  useSenderChange((body: UpdateSenderRequest) => call(senderAnswer, path(code), { method: 'PATCH', body }))

export const useDeleteSender = (code: string) =>
  useSenderChange<void, unknown>(() => call(done, path(code), { method: 'DELETE' }))

export const useLinkSender = (code: string) =>
  useSenderChange((body: LinkRequest) => call(done, `${path(code)}/link`, { method: 'POST', body }))

export type SenderAction = 'unlink' | 'pause' | 'resume'

export const useSenderAction = (code: string) =>
  useSenderChange((action: SenderAction) => call(done, `${path(code)}/${action}`, { method: 'POST' }))
