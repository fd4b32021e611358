import { useTranslation } from 'react-i18next'
import type { SenderView } from '../../server/contract/senders.ts'
import { useConcerns, useSenderConcern } from '../hooks/use-concerns.ts'
import { ConcernButton, LinkButton, ResumeButton } from './concern-button.tsx'

interface RecoverButtonProps {
  sender: SenderView
  variant?: 'filled' | 'default'
  /** True in the sender's own drawer, where a button that leads to the drawer is left out. */
  inDrawer?: boolean
}

/** The one button that helps a sender. Shows nothing if the sender needs none. */
export function RecoverButton({ sender, variant = 'default', inDrawer = false }: RecoverButtonProps) {
  const { t } = useTranslation()
  const { sender_code, state, kind } = sender
  const concern = useSenderConcern(sender_code)
  const allPaused = useConcerns().find(({ code }) => code === 'all_paused')
  // While all senders are paused together, resuming this one alone has no effect.
  if (state === 'paused' && allPaused !== undefined) return <ConcernButton concern={allPaused} variant={variant} />
  // Decided by the state, because the sandbox, or a first sender, may have no concern.
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
