import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { settingsAnswer, type UpdateSettings } from '../../server/contract/settings.ts'
import { call } from './client.ts'

const queryKey = ['settings'] as const

export const useSettings = () =>
  useQuery({ queryKey, queryFn: async ({ signal }) => (await call(settingsAnswer, '/api/settings', { signal })).data })

export function useUpdateSettings() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: UpdateSettings) => call(settingsAnswer, '/api/settings', { method: 'PATCH', body }),
    onSuccess: (answer) => client.setQueryData(queryKey, answer.data),
  })
}
