import { useQuery } from '@tanstack/react-query'
import type { LinkRequest, PasskeyAssertion } from '../../server/contract/linking.ts'
import {
  type CreateSenderRequest,
  type SenderView,
  senderAnswer,
  sendersAnswer,
  type UpdateSenderRequest,
} from '../../server/contract/senders.ts'
import { call, done } from './client.ts'
import { queryKeys } from './query-keys.ts'
import { useChange } from './use-change.ts'

const path = (code: string) => `/api/senders/${encodeURIComponent(code)}`

export const sendersQuery = {
  // Read before the first page is drawn. The page shows an error and does not read again.
  retryOnMount: false,
  queryKey: queryKeys.senders,
  queryFn: async ({ signal }: { signal: AbortSignal }) => (await call(sendersAnswer, '/api/senders', { signal })).data,
}

export const useSenders = () => useQuery(sendersQuery)

/** One sender of the list. `data` is undefined while loading and for an unknown code. */
export const useSender = (code: string) =>
  useQuery({ ...sendersQuery, select: (senders: SenderView[]) => senders.find((s) => s.sender_code === code) })

export const useCreateSender = () =>
  useChange('sender', (body: CreateSenderRequest) => call(senderAnswer, '/api/senders', { method: 'POST', body }))

export const useUpdateSender = (code: string) =>
  useChange('sender', (body: UpdateSenderRequest) => call(senderAnswer, path(code), { method: 'PATCH', body }))

export const useDeleteSender = (code: string) => useChange('sender', () => call(done, path(code), { method: 'DELETE' }))

export const useLinkSender = (code: string) =>
  useChange('sender', (body: LinkRequest) => call(done, `${path(code)}/link`, { method: 'POST', body }))

export const useAnswerPasskey = (code: string) =>
  useChange('sender', (body: PasskeyAssertion) => call(done, `${path(code)}/link/passkey`, { method: 'POST', body }))

export const useConfirmPasskey = (code: string) =>
  useChange('sender', () => call(done, `${path(code)}/link/passkey/confirm`, { method: 'POST' }))

/** Resumes all senders after they were paused together. */
export const useResumeAll = () =>
  useChange('sender', () => call(sendersAnswer, '/api/senders/resume', { method: 'POST' }))

export type SenderAction = 'unlink' | 'pause' | 'resume' | 'confirm-phone'

export const useSenderAction = (code: string) =>
  useChange('sender', (action: SenderAction) => call(done, `${path(code)}/${action}`, { method: 'POST' }))
