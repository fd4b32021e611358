import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { SenderView } from '../../server/contract/senders.ts'
import { useSenderAction } from '../api/senders.ts'
import { BusyButton } from './busy-button.tsx'

interface RecoverButtonProps {
  sender: SenderView
  variant?: 'filled' | 'default'
}

/** The one button that helps a sender which cannot send; nothing when it needs none. */
export function RecoverButton({ sender, variant = 'default' }: RecoverButtonProps) {
  const { t } = useTranslation()
  const action = useSenderAction(sender.sender_code)
  const { sender_code, state, kind } = sender
  if (state === 'paused' || state === 'replaced') {
    return (
      <BusyButton size="xs" variant={variant} busy={action.isPending} onClick={() => action.mutate('resume')}>
        {state === 'paused' ? t('senders.resume') : t('senders.useHere')}
      </BusyButton>
    )
  }
  // Linking a blocked number again makes it worse: its drawer says what helps.
  if (state === 'restricted') {
    return <LinkButton variant={variant} href={`/senders?open=${sender_code}`} label={t('senders.whatToDo')} />
  }
  if (kind !== 'linked' || !['unlinked', 'logged_out', 'linking'].includes(state)) return null
  const label = state === 'logged_out' ? t('senders.linkAgain') : t('senders.link')
  return <LinkButton variant={variant} href={`/senders/${sender_code}/link`} label={label} />
}

interface LinkButtonProps {
  variant: 'filled' | 'default'
  href: string
  label: string
}

export const LinkButton = ({ variant, href, label }: LinkButtonProps) => (
  <Button size="xs" variant={variant} component={Link} href={href}>
    {label}
  </Button>
)
