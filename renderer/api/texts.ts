import { useQuery } from '@tanstack/react-query'
import { type CreateTextRequest, textAnswer, textsAnswer } from '../../server/slices/texts/contract.ts'
import { call, done } from './client.ts'
import { queryKeys } from './query-keys.ts'
import { useChange } from './use-change.ts'

const path = (id: string) => `/api/texts/${encodeURIComponent(id)}`

/** The owner's saved texts, by name. */
export const useTexts = () =>
  useQuery({
    queryKey: queryKeys.texts,
    queryFn: async ({ signal }) => (await call(textsAnswer, '/api/texts', { signal })).data,
  })

export const useKeepText = () =>
  useChange(
    'text',
    async (body: CreateTextRequest) => (await call(textAnswer, '/api/texts', { method: 'POST', body })).data,
  )

export const useChangeText = () =>
  useChange('text', ({ id, text }: { id: string; text: string }) =>
    call(textAnswer, path(id), { method: 'PATCH', body: { text } }),
  )

export const useRemoveText = () => useChange('text', (id: string) => call(done, path(id), { method: 'DELETE' }))
