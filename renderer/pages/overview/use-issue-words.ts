import { useTranslation } from 'react-i18next'
import { formatBytes } from '../../model/bytes.ts'
import type { Issue } from '../../model/issues.ts'
import { soonTime } from '../../model/time.ts'

/** One sentence for an issue. */
export function useIssueWords(): (issue: Issue) => string {
  const { t, i18n } = useTranslation()
  return (issue) => {
    switch (issue.kind) {
      case 'sender': {
        const { name, waiting: count, first_contacts_wait_until: until } = issue.sender
        if (issue.problem !== 'first_contacts') return t(`home.issue.${issue.problem}`, { name, count })
        return t('home.issue.first_contacts', { name, when: soonTime(until ?? '', Date.now(), i18n.language) })
      }
      case 'check':
        return t('home.issue.check', {
          name: issue.sender.name,
          check: t(`senders.official.check.${issue.check.name}`),
        })
      case 'callbacks':
        return t('home.issue.callbacks', { count: issue.count })
      case 'receiver':
        return t(`home.issue.${issue.problem}`, {
          address: issue.endpoint.url.replace(/^https?:\/\//, ''),
          count: issue.endpoint.pending,
        })
      case 'disk':
        return t('home.issue.disk', { size: formatBytes(issue.freeBytes, i18n.language) })
    }
  }
}
