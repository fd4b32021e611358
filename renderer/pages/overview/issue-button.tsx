import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { MendButton } from '../../components/mend-button.tsx'
import type { Issue } from '../../model/issues.ts'

interface IssueButtonProps {
  issue: Issue
  variant: 'filled' | 'default'
}

/** The button that mends an issue, or leads to where it is mended. */
export function IssueButton({ issue, variant }: IssueButtonProps) {
  const { t } = useTranslation()
  switch (issue.kind) {
    case 'sender':
      return <MendButton sender={issue.sender} variant={variant} />
    case 'check':
      return (
        <Button size="xs" variant={variant} component={Link} href={`/senders?open=${issue.sender.sender_code}`}>
          {t('home.seeCheck')}
        </Button>
      )
    case 'callbacks':
      return (
        <Button size="xs" variant={variant} component={Link} href="/webhooks?state=dead">
          {t('home.seeCallbacks')}
        </Button>
      )
    case 'receiver':
      return (
        <Button size="xs" variant={variant} component={Link} href={`/webhooks?open=${issue.endpoint.id}`}>
          {t('home.seeReceiver')}
        </Button>
      )
    case 'disk':
      return null
  }
}
