import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { type MessageRow, messageAnswer, messageListAnswer, type RetryRequest } from '../../server/contract/messages.ts'
import { templateAnswer } from '../../server/contract/templates.ts'
import { call, done, queryString } from './client.ts'
import type { MessagePage } from './live-rows.ts'
import type { MessageFilters } from './message-filters.ts'
import { useOnce } from './once.ts'
import { queryKeys } from './query-keys.ts'
import { useChange } from './use-change.ts'

const PAGE = 100

const messagesQuery = (filters: MessageFilters) =>
  infiniteQueryOptions({
    queryKey: queryKeys.messageList(filters),
    queryFn: ({ pageParam, signal }) =>
      call(messageListAnswer, `/api/messages${queryString({ ...filters, limit: PAGE, cursor: pageParam })}`, {
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: MessagePage) => page.next_cursor ?? undefined,
  })

/** Pages of messages, newest first. The live stream keeps them fresh, see live.ts. */
export const useMessages = (filters: MessageFilters) =>
  useInfiniteQuery({ ...messagesQuery(filters), placeholderData: keepPreviousData })

/** Messages of one sender to one number, newest first. Empty while either is an empty text. */
export function useChat(sender_code: string, recipient: string): MessageRow[] {
  const filters = { sender_code, recipient }
  const query = useInfiniteQuery({ ...messagesQuery(filters), enabled: sender_code !== '' && recipient !== '' })
  return query.data?.pages.flatMap((page) => page.data) ?? []
}

export const useMessage = (id: string) =>
  useQuery({
    queryKey: queryKeys.message(id),
    queryFn: async ({ signal }) => (await call(messageAnswer, `/api/messages/${id}`, { signal })).data,
  })

export const useCancelMessage = (id: string) =>
  useMutation({ mutationFn: () => call(done, `/api/messages/${id}`, { method: 'DELETE' }) })

/** Moves a waiting message to another time, `send_at` (ISO 8601). */
export const useMoveMessage = (id: string) =>
  useChange('message', (send_at: string) =>
    call(messageAnswer, `/api/messages/${id}`, { method: 'PATCH', body: { send_at } }),
  )

/**
 * Sends a message again as a new one, to another number if one is given. Resolves with the new id.
 * A text goes to the queue. A template goes to Meta at once, while the owner waits.
 * @param template the body of its first call to /waba/send-template; null: the message is a text
 */
export function useSendAgain(id: string, template: Record<string, unknown> | null) {
  const once = useOnce()
  return useChange('message', async (phone: string | undefined) => {
    const other = phone === undefined ? {} : { phone }
    if (template === null) {
      const body: RetryRequest = other
      return (await call(messageAnswer, `/api/messages/${id}/retry`, { method: 'POST', body })).data.id
    }
    const body = { ...template, ...other }
    const send = (onceKey: string) => call(templateAnswer, '/waba/send-template', { method: 'POST', body, onceKey })
    return (await once(body, send)).data.id
  })
}
