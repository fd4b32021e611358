import { IconAlertCircle, IconCircleCheck, IconClock } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { Delivery } from '../../server/contract/webhooks.ts'
import { StatusBadge, type StatusLook } from './status-badge.tsx'

const LOOKS: Record<Delivery['state'], StatusLook> = {
  pending: { icon: IconClock, tone: 'wait' },
  delivered: { icon: IconCircleCheck, tone: 'good' },
  dead: { icon: IconAlertCircle, tone: 'bad' },
}

export function DeliveryState({ state }: { state: Delivery['state'] }) {
  const { t } = useTranslation()
  return <StatusBadge look={LOOKS[state]} label={t(`messages.delivery.${state}`)} />
}
