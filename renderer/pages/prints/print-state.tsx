import { IconAlertCircle, IconCheck, IconClock } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { type PrintView, TROUBLES } from '../../../server/slices/printer/contract.ts'
import { StatusBadge } from '../../components/status-badge.tsx'

/** Says that a print was handed on, or why it waits. After that its message has the status. */
export function PrintState({ print: { status, reason } }: { print: PrintView }) {
  const { t } = useTranslation()
  if (status === 'sent') return <StatusBadge look={{ icon: IconCheck, tone: 'wait' }} label={t('prints.handedOn')} />
  if (status === 'new' || reason === null)
    return <StatusBadge look={{ icon: IconClock, tone: 'wait' }} label={t('prints.lookedAt')} />
  const isTrouble = TROUBLES.includes(reason)
  return (
    <StatusBadge
      look={isTrouble ? { icon: IconAlertCircle, tone: 'warn' } : { icon: IconClock, tone: 'wait' }}
      label={t(`prints.reason.${reason}`)}
    />
  )
}
