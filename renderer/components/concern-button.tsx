import { Button } from '@mantine/core'
import { Link } from 'wouter'
import type { Concern } from '../../server/contract/concerns.ts'
import { useResumeAll, useSenderAction } from '../api/senders.ts'
import { useConcernWords } from '../hooks/use-concerns.ts'
import { useTellError } from '../hooks/use-tell-error.ts'
import { BusyButton } from './busy-button.tsx'

interface ConcernButtonProps {
  concern: Concern
  variant: 'filled' | 'default'
}

/** The one button for a concern. It acts at once, or leads to the page that solves the concern. */
export function ConcernButton({ concern, variant }: ConcernButtonProps) {
  const { button } = useConcernWords()(concern)
  const { action, page, sender_code } = concern
  if (button === null) return null
  switch (action) {
    case 'resume':
    case 'use_here':
    case 'try_again':
      return <ResumeButton senderCode={sender_code ?? ''} label={button} variant={variant} />
    case 'resume_all':
      return <ResumeAllButton label={button} variant={variant} />
    default:
      return <LinkButton variant={variant} href={page ?? '/'} label={button} />
  }
}

interface ActButtonProps extends Pick<ConcernButtonProps, 'variant'> {
  label: string
}

export function ResumeButton({ senderCode, label, variant }: ActButtonProps & { senderCode: string }) {
  const action = useSenderAction(senderCode)
  const onError = useTellError()
  return (
    <BusyButton
      size="xs"
      variant={variant}
      busy={action.isPending}
      onClick={() => action.mutate('resume', { onError })}
    >
      {label}
    </BusyButton>
  )
}

function ResumeAllButton({ label, variant }: ActButtonProps) {
  const resume = useResumeAll()
  const onError = useTellError()
  return (
    <BusyButton
      size="xs"
      variant={variant}
      busy={resume.isPending}
      onClick={() => resume.mutate(undefined, { onError })}
    >
      {label}
    </BusyButton>
  )
}

interface LinkButtonProps extends ActButtonProps {
  href: string
}

export const LinkButton = ({ variant, href, label }: LinkButtonProps) => (
  <Button size="xs" variant={variant} component={Link} href={href}>
    {label}
  </Button>
)
