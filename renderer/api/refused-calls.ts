import { useQuery } from '@tanstack/react-query'
import {
  type Decision,
  knownProgramAnswer,
  knownProgramsAnswer,
  refusedCallsAnswer,
  refusedGroupsAnswer,
} from '../../server/slices/refused-calls/contract.ts'
import { call, done, queryString } from './client.ts'
import { queryKeys } from './query-keys.ts'
import { useChange } from './use-change.ts'

/** Most calls that are shown of one group. */
const SHOWN = 20
/** A refused call is no live event: the list is read again this often (milliseconds). */
const EVERY = 5_000

/** Refused calls of programs by caller and mistake, the newest first. */
export const useRefusedGroups = () =>
  useQuery({
    queryKey: queryKeys.refusedGroups,
    queryFn: ({ signal }) => call(refusedGroupsAnswer, '/api/refused-calls/groups', { signal }),
    refetchInterval: EVERY,
  })

/** The last calls of a group. */
export const useRefusedCalls = (group: string) =>
  useQuery({
    queryKey: queryKeys.refusedCallsOf(group),
    queryFn: async ({ signal }) =>
      (await call(refusedCallsAnswer, `/api/refused-calls${queryString({ limit: SHOWN, group })}`, { signal })).data,
    refetchInterval: EVERY,
  })

/** Marks a group as seen; without one, all of them. */
export const useMarkSeen = () =>
  useChange('refused', (group?: string) => call(done, '/api/refused-calls/seen', { method: 'POST', body: { group } }))

/** Programs of this PC that call as they would call another gateway. */
export const useKnownPrograms = () =>
  useQuery({
    queryKey: queryKeys.knownPrograms,
    queryFn: async ({ signal }) => (await call(knownProgramsAnswer, '/api/refused-calls/programs', { signal })).data,
    staleTime: 0,
  })

export const useDecide = (name: string) =>
  useChange('refused', (decision: Decision) =>
    call(knownProgramAnswer, `/api/refused-calls/programs/${encodeURIComponent(name)}`, {
      method: 'POST',
      body: { decision },
    }),
  )
