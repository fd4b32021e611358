import { useTranslation } from 'react-i18next'
import { LinkButton, RecoverButton } from '../../components/recover-button.tsx'
import type { Issue } from '../../model/issues.ts'

interface IssueButtonProps {
  issue: Issue
  variant: 'filled' | 'default'
}

/** The button that solves an issue, or leads to where it is solved. */
export function IssueButton({ issue, variant }: IssueButtonProps) {
  const { t } = useTranslation()
  switch (issue.kind) {
    case 'sender':
      return issue.sender.kind === 'official' && issue.problem === 'offline' ? (
        <LinkButton variant={variant} href={`/senders?open=${issue.sender.sender_code}`} label={t('home.seeCheck')} />
      ) : (
        <RecoverButton sender={issue.sender} variant={variant} />
      )
    case 'failures':
      return <LinkButton variant={variant} href="/messages?status=failed&days=1" label={t('home.seeFailures')} />
    case 'check':
      return (
        <LinkButton variant={variant} href={`/senders?open=${issue.sender.sender_code}`} label={t('home.seeCheck')} />
      )
    case 'callbacks':
      return <LinkButton variant={variant} href="/webhooks?state=dead" label={t('home.seeCallbacks')} />
    case 'endpoint':
      return <LinkButton variant={variant} href={`/webhooks?open=${issue.endpoint.id}`} label={t('home.seeEndpoint')} />
    case 'disk':
      return null
  }
}
