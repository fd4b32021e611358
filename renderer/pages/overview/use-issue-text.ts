import { useTranslation } from 'react-i18next'
import { useFormat } from '../../hooks/use-format.ts'
import { shortUrl } from '../../model/endpoint-health.ts'
import type { Issue } from '../../model/issues.ts'

/** One sentence for an issue. */
export function useIssueText(): (issue: Issue) => string {
  const { t } = useTranslation()
  const format = useFormat()
  return (issue) => {
    switch (issue.kind) {
      case 'sender': {
        const { name, kind, waiting: count, first_contacts_wait_until: until } = issue.sender
        if (issue.problem === 'first_contacts') {
          return t('home.issue.first_contacts', { name, when: format.until(until ?? issue.sender.since, Date.now()) })
        }
        const problem = issue.problem === 'offline' && kind === 'official' ? 'officialOffline' : issue.problem
        return t(`home.issue.${problem}`, { name, count })
      }
      case 'failures':
        return t('home.issue.failures', { count: issue.failed, ended: issue.ended })
      case 'check':
        return t('home.issue.check', {
          name: issue.sender.name,
          check: t(`senders.official.check.${issue.check.name}`),
        })
      case 'callbacks':
        return t('home.issue.callbacks', { count: issue.count })
      case 'endpoint':
        return t(`home.issue.${issue.problem}`, {
          address: shortUrl(issue.endpoint.url),
          count: issue.endpoint.pending,
        })
      case 'disk':
        return t('home.issue.disk', { size: format.bytes(issue.freeBytes) })
    }
  }
}
