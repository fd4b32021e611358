import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { z } from 'zod'
import { answer } from '../../server/contract/envelope.ts'
import { type createKeyRequest, keyCreatedAnswer, keysAnswer } from '../../server/contract/keys.ts'
import { call } from './client.ts'

const queryKey = ['keys'] as const

/** The use of a key is no live event. */
const LOOK_AGAIN_MS = 10_000

export const useKeys = () =>
  useQuery({
    queryKey,
    queryFn: async ({ signal }) => (await call(keysAnswer, '/api/keys', { signal })).data,
    staleTime: 0,
    refetchInterval: LOOK_AGAIN_MS,
  })

function useKeyChange<Input, Output>(change: (input: Input) => Promise<Output>) {
  const client = useQueryClient()
  return useMutation({ mutationFn: change, onSettled: () => client.invalidateQueries({ queryKey }) })
}

/** The answer holds the key itself, which is never told again. */
export const useCreateKey = () =>
  useKeyChange(
    async (body: z.input<typeof createKeyRequest>) =>
      (await call(keyCreatedAnswer, '/api/keys', { method: 'POST', body })).data,
  )

export const useRevokeKey = (id: string) =>
  useKeyChange<void, unknown>(() => call(answer(z.unknown()), `/api/keys/${id}`, { method: 'DELETE' }))
