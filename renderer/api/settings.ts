import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { settingsAnswer, type UpdateSettings } from '../../server/contract/settings.ts'
import { call } from './client.ts'
import { queryKeys } from './query-keys.ts'

export const useSettings = () =>
  useQuery({
    queryKey: queryKeys.settings,
    queryFn: async ({ signal }) => (await call(settingsAnswer, '/api/settings', { signal })).data,
  })

export function useUpdateSettings() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: UpdateSettings) => call(settingsAnswer, '/api/settings', { method: 'PATCH', body }),
    onSuccess: ({ data }) => client.setQueryData(queryKeys.settings, data),
  })
}
