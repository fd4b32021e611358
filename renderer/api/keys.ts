import { useQuery } from '@tanstack/react-query'
import type { z } from 'zod'
import { type createKeyRequest, keyCreatedAnswer, keysAnswer } from '../../server/contract/access.ts'
import { call, done } from './client.ts'
import { queryKeys } from './query-keys.ts'
import { useChange } from './use-change.ts'

export type NewKey = z.input<typeof createKeyRequest>

/** Milliseconds. The use of a key is no live event. */
const LOOK_AGAIN = 10_000

const keysQuery = {
  queryKey: queryKeys.apiKeys,
  queryFn: async ({ signal }: { signal: AbortSignal }) => (await call(keysAnswer, '/api/keys', { signal })).data,
}

export const useKeys = () => useQuery({ ...keysQuery, staleTime: 0, refetchInterval: LOOK_AGAIN })

/** True if there is a key, even a revoked one. */
export const useHasKeys = () => useQuery({ ...keysQuery, select: (keys) => keys.length > 0 })

/** Resolves with the key itself, which is never shown again. */
export const useCreateKey = () =>
  useChange('key', async (body: NewKey) => (await call(keyCreatedAnswer, '/api/keys', { method: 'POST', body })).data)

export const useRevokeKey = (id: string) => useChange('key', () => call(done, `/api/keys/${id}`, { method: 'DELETE' }))
