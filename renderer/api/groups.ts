import { useQuery } from '@tanstack/react-query'
import { groupsAnswer } from '../../server/contract/groups.ts'
import { call } from './client.ts'
import { queryKeys } from './query-keys.ts'

/** The groups that a linked number, or the sandbox, is in; not asked of others. */
export const useGroups = (senderCode: string, enabled = true) =>
  useQuery({
    enabled,
    queryKey: queryKeys.groupsOf(senderCode),
    queryFn: async ({ signal }) =>
      (await call(groupsAnswer, `/senders/${encodeURIComponent(senderCode)}/groups`, { signal })).data,
  })
