import { useOverview } from '../api/overview.ts'
import { useSenders } from '../api/senders.ts'
import { useWebhooks } from '../api/webhooks.ts'
import { findIssues, type Issue } from '../model/issues.ts'
import { useNow } from './use-now.ts'

/** What needs an action by the owner now, the most harmful first. */
export function useIssues(): Issue[] {
  const senders = useSenders().data ?? []
  const endpoints = useWebhooks().data ?? []
  return findIssues({ senders, endpoints, overview: useOverview().data }, useNow(10_000))
}
