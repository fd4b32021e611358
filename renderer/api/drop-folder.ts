import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { dropFolderAnswer, type UpdateDropFolder } from '../../server/slices/drop-folder/contract.ts'
import { call } from './client.ts'
import { queryKeys } from './query-keys.ts'

const PATH = '/api/drop-folder'
/** No live event says that files came or went. */
const LOOK_EVERY_MS = 5_000

export const useDropFolder = () =>
  useQuery({
    queryKey: queryKeys.dropFolder,
    queryFn: async ({ signal }) => (await call(dropFolderAnswer, PATH, { signal })).data,
    refetchInterval: ({ state }) => (state.data?.on ? LOOK_EVERY_MS : false),
  })

export function useUpdateDropFolder() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (body: UpdateDropFolder) => (await call(dropFolderAnswer, PATH, { method: 'PATCH', body })).data,
    onSuccess: (view) => client.setQueryData(queryKeys.dropFolder, view),
  })
}
