import { type InfiniteData, keepPreviousData, useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import { answer } from '../../server/contract/envelope.ts'
import { messageAnswer, messageListAnswer } from '../../server/contract/messages.ts'
import type { MessageFilters } from '../lib/message-filters.ts'
import { call, queryString } from './client.ts'

export type MessagePage = z.infer<typeof messageListAnswer>
export type MessagePages = InfiniteData<MessagePage, string | undefined>

const PAGE = 100

export const messageListKey = (filters: MessageFilters) => ['messages', filters] as const
export const messageKey = (id: string) => ['message', id] as const

/** Pages of messages, newest first. The live stream keeps them fresh, see live.ts. */
export const useMessages = (filters: MessageFilters) =>
  useInfiniteQuery({
    queryKey: messageListKey(filters),
    queryFn: ({ pageParam, signal }) =>
      call(messageListAnswer, `/api/messages${queryString({ ...filters, limit: PAGE, cursor: pageParam })}`, {
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: MessagePage) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  })

export const useMessage = (id: string) =>
  useQuery({
    queryKey: messageKey(id),
    queryFn: async ({ signal }) => (await call(messageAnswer, `/api/messages/${id}`, { signal })).data,
  })

const done = answer(z.unknown())

export const useCancelMessage = (id: string) =>
  useMutation({ mutationFn: () => call(done, `/api/messages/${id}`, { method: 'DELETE' }) })

export const useRetryMessage = (id: string) =>
  useMutation({ mutationFn: () => call(done, `/api/messages/${id}/retry`, { method: 'POST' }) })
