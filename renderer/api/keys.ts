import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import { type createKeyRequest, keyCreatedAnswer } from '../../server/contract/keys.ts'
import { call } from './client.ts'

/** The answer holds the key itself, which can never be read again. */
export function useCreateKey() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (body: z.input<typeof createKeyRequest>) =>
      (await call(keyCreatedAnswer, '/api/keys', { method: 'POST', body })).data,
    onSettled: () => client.invalidateQueries({ queryKey: ['keys'] }),
  })
}
