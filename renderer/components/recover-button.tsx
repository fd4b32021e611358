import { useTranslation } from 'react-i18next'
import type { SenderView } from '../../server/contract/senders.ts'
import { useConcerns, useSenderConcern } from '../hooks/use-concerns.ts'
import { ConcernButton, LinkButton, ResumeButton } from './concern-button.tsx'

interface RecoverButtonProps {
  sender: SenderView
  variant?: 'filled' | 'default'
  /** It is shown in the drawer of the sender: a button that only leads there would do nothing. */
  inDrawer?: boolean
}

/** The one button that helps a sender; nothing when it needs none. */
export function RecoverButton({ sender, variant = 'default', inDrawer = false }: RecoverButtonProps) {
  const { t } = useTranslation()
  const { sender_code, state, kind } = sender
  const concern = useSenderConcern(sender_code)
  const allPaused = useConcerns().find(({ code }) => code === 'all_paused')
  // Resumed alone, it would stay paused.
  if (state === 'paused' && allPaused !== undefined) return <ConcernButton concern={allPaused} variant={variant} />
  // The state alone says this, also for the sandbox and before the first number.
  if (state === 'paused' || state === 'replaced') {
    const label = state === 'paused' ? t('senders.resume') : t('senders.useHere')
    return <ResumeButton senderCode={sender_code} variant={variant} label={label} />
  }
  if (kind === 'linked' && (state === 'unlinked' || state === 'linking')) {
    return <LinkButton variant={variant} href={`/senders/${sender_code}/link`} label={t('senders.link')} />
  }
  if (concern === undefined) return null
  if (inDrawer && concern.action !== 'try_again' && concern.page === `/senders?open=${sender_code}`) return null
  return <ConcernButton concern={concern} variant={variant} />
}
