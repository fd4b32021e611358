import { useMutation, useQueryClient } from '@tanstack/react-query'
import { refresh, type Topic } from './query-keys.ts'

/**
 * A change at the server. The data that it makes stale is read again before the promise settles,
 * even if the change failed.
 */
export function useChange<Output, Input = void>(topic: Topic, change: (input: Input) => Promise<Output>) {
  const client = useQueryClient()
  return useMutation({ mutationFn: change, onSettled: () => refresh(client, [topic]) })
}
