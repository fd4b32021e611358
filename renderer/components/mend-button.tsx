import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { SenderView } from '../../server/contract/senders.ts'
import { useSenderAction } from '../api/senders.ts'

interface MendButtonProps {
  sender: SenderView
  variant?: 'filled' | 'default'
}

/** The one button that brings a sender back; nothing when it needs none. */
export function MendButton({ sender, variant = 'default' }: MendButtonProps) {
  const { t } = useTranslation()
  const action = useSenderAction(sender.sender_code)
  const { state, kind } = sender
  if (state === 'paused' || state === 'replaced') {
    return (
      <Button size="xs" variant={variant} loading={action.isPending} onClick={() => action.mutate('resume')}>
        {state === 'paused' ? t('senders.resume') : t('senders.useHere')}
      </Button>
    )
  }
  if (kind !== 'linked' || !['unlinked', 'logged_out', 'restricted', 'linking'].includes(state)) return null
  return (
    <Button size="xs" variant={variant} component={Link} href={`/senders/${sender.sender_code}/link`}>
      {state === 'unlinked' || state === 'linking' ? t('senders.link') : t('senders.linkAgain')}
    </Button>
  )
}
