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

/** Most calls of one group on the page. */
const SHOWN = 20
/** Milliseconds between reads: a refused call is no live event. */
const EVERY = 5_000

/** Refused calls, grouped by caller and mistake, newest first. */
export const useRefusedGroups = () =>
  useQuery({
    queryKey: queryKeys.refusedGroups,
    queryFn: ({ signal }) => call(refusedGroupsAnswer, '/api/refused-calls/groups', { signal }),
    refetchInterval: EVERY,
  })

/** The latest calls of a group. */
export const useRefusedCalls = (group: string) =>
  useQuery({
    queryKey: queryKeys.refusedCallsOf(group),
    queryFn: async ({ signal }) =>
      (await call(refusedCallsAnswer, `/api/refused-calls${queryString({ limit: SHOWN, group })}`, { signal })).data,
    refetchInterval: EVERY,
  })

/** Marks a group as seen. Without a group: all groups. */
export const useMarkSeen = () =>
  useChange('refused', (group?: string) => call(done, '/api/refused-calls/seen', { method: 'POST', body: { group } }))

/** Programs on this PC whose calls have the form of another gateway. */
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
