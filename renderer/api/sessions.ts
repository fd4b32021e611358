import { useMutation, useQuery } from '@tanstack/react-query'
import { sessionsAnswer, windowLinkAnswer } from '../../server/contract/access.ts'
import { call, done } from './client.ts'
import { queryKeys } from './query-keys.ts'
import { useChange } from './use-change.ts'

/** The browsers that are logged in as the owner. */
export const useSessions = () =>
  useQuery({
    queryKey: queryKeys.sessions,
    queryFn: async ({ signal }) => (await call(sessionsAnswer, '/api/sessions', { signal })).data,
  })

export const useEndSession = () =>
  useChange('session', (id: string) => call(done, `/api/sessions/${encodeURIComponent(id)}`, { method: 'DELETE' }))

/** A link that opens the window once, within ten minutes. */
export const useWindowLink = () =>
  useMutation({
    mutationFn: async () => (await call(windowLinkAnswer, '/api/sessions/code', { method: 'POST' })).data,
  })
