import { useQuery } from '@tanstack/react-query'
import { groupsAnswer } from '../../server/contract/groups.ts'
import { call } from './client.ts'
import { queryKeys } from './query-keys.ts'

/** Groups of a linked number or the sandbox. Pass `enabled: false` for other senders. */
export const useGroups = (senderCode: string, enabled = true) =>
  useQuery({
    enabled,
    queryKey: queryKeys.groupsOf(senderCode),
    queryFn: async ({ signal }) =>
      (await call(groupsAnswer, `/senders/${encodeURIComponent(senderCode)}/groups`, { signal })).data,
  })
