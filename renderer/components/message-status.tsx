import { IconAlertCircle, IconBan, IconCheck, IconChecks, IconClock, IconSend } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { Status } from '../../server/contract/messages.ts'
import { StatusBadge, type StatusLook } from './status-badge.tsx'

const LOOKS: Record<Status, StatusLook> = {
  queued: { icon: IconClock, tone: 'wait' },
  accepted: { icon: IconClock, tone: 'wait' },
  sending: { icon: IconSend, tone: 'wait' },
  sent: { icon: IconCheck, tone: 'wait' },
  delivered: { icon: IconChecks, tone: 'wait' },
  read: { icon: IconChecks, tone: 'read' },
  failed: { icon: IconAlertCircle, tone: 'bad' },
  cancelled: { icon: IconBan, tone: 'wait' },
}

interface MessageStatusProps {
  status: Status
  iconOnly?: boolean
}

/** The status of a message, with WhatsApp's ticks. */
export function MessageStatus({ status, iconOnly = false }: MessageStatusProps) {
  const { t } = useTranslation()
  return <StatusBadge look={LOOKS[status]} label={t(`states.message.${status}`)} iconOnly={iconOnly} />
}
