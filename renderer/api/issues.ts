import { findIssues, type Issue } from '../lib/issues.ts'
import { useNow } from '../lib/use-now.ts'
import { useOverview } from './overview.ts'
import { useSenders } from './senders.ts'
import { useWebhooks } from './webhooks.ts'

/** What needs the owner's hand now, the worst first. */
export function useIssues(): Issue[] {
  const senders = useSenders().data ?? []
  const endpoints = useWebhooks().data ?? []
  return findIssues({ senders, endpoints, overview: useOverview().data }, useNow(10_000))
}
