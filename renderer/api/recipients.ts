import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type MessageRow, messageListAnswer } from '../../server/contract/messages.ts'
import { isGroupId } from '../../server/contract/phone.ts'
import { call, queryString } from './client.ts'
import { queryKeys } from './query-keys.ts'

const FOUND = 50

const list = async (filters: Record<string, string | number>, signal: AbortSignal): Promise<MessageRow[]> =>
  (await call(messageListAnswer, `/api/messages${queryString({ sandbox: 'without', ...filters })}`, { signal })).data

/** The newest message to a number through any sender but the sandbox. Null: none. */
export const useLastTo = (phone: string) =>
  useQuery({
    queryKey: queryKeys.lastTo(phone),
    enabled: /^\d{7,}$/.test(phone),
    queryFn: async ({ signal }) => (await list({ recipient: phone, limit: 1 }, signal))[0] ?? null,
  })

/** The newest message to each customer whose number, reference or text has these words. */
export const useFoundRecipients = (words: string) =>
  useQuery({
    queryKey: queryKeys.found(words),
    enabled: words.length >= 3,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const rows = await list({ q: words, limit: FOUND }, signal)
      const toPeople = rows.filter(({ recipient }) => !isGroupId(recipient))
      const byNumber = new Map(toPeople.toReversed().map((row) => [row.recipient, row]))
      return [...byNumber.values()].toReversed().slice(0, 8)
    },
  })
