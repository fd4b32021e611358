import {
  IconAlertCircle,
  IconCircleCheck,
  IconCircleDashed,
  IconPlugConnectedX,
  IconPower,
  IconUserOff,
} from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { StatusBadge, type StatusLook } from '../../components/status-badge.tsx'
import type { EndpointHealth } from '../../model/endpoint-health.ts'

const LOOKS: Record<EndpointHealth, StatusLook> = {
  gone: { icon: IconPlugConnectedX, tone: 'bad' },
  failing: { icon: IconAlertCircle, tone: 'bad' },
  senderless: { icon: IconUserOff, tone: 'bad' },
  idle: { icon: IconCircleDashed, tone: 'wait' },
  well: { icon: IconCircleCheck, tone: 'good' },
  off: { icon: IconPower, tone: 'warn' },
}

export function EndpointState({ health }: { health: EndpointHealth }) {
  const { t } = useTranslation()
  return <StatusBadge look={LOOKS[health]} label={t(`webhooks.health.${health}`)} />
}
