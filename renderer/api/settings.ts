import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { settingsAnswer, type UpdateSettings } from '../../server/contract/settings.ts'
import { call } from './client.ts'
import { queryKeys } from './query-keys.ts'

export const settingsQuery = {
  // Read before the first page is drawn. The page shows an error and does not read again.
  retryOnMount: false,
  queryKey: queryKeys.settings,
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    (await call(settingsAnswer, '/api/settings', { signal })).data,
}

export const useSettings = () => useQuery(settingsQuery)

export function useUpdateSettings() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: UpdateSettings) => call(settingsAnswer, '/api/settings', { method: 'PATCH', body }),
    onSuccess: ({ data }) => client.setQueryData(queryKeys.settings, data),
  })
}
