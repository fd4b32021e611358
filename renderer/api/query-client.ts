import { QueryClient } from '@tanstack/react-query'
import { ConnectionLost } from './client.ts'

/**
 * The live stream says what changed, so nothing is read again just because a window got the focus.
 * `networkMode: always`: the server is on this PC and answers without the internet.
 * Mutations have a short `gcTime` because an answer may be a secret, and nothing reads it later. It
 * is not 0, because the client rechecks a running mutation of a closed page at this interval.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always',
      staleTime: 60_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => error instanceof ConnectionLost && failures < 3,
      retryDelay: (attempt) => Math.min(500 * 2 ** attempt, 5_000),
    },
    mutations: { networkMode: 'always', gcTime: 1_000 },
  },
})
