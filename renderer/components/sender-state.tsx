import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCloudOff,
  IconDeviceMobileOff,
  IconLoader2,
  IconPlayerPause,
  IconQrcode,
  IconReplace,
} from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { SenderState as State } from '../../server/contract/senders.ts'
import { StatusBadge, type StatusLook } from './status-badge.tsx'

const LOOKS: Record<State, StatusLook> = {
  connected: { icon: IconCircleCheck, tone: 'good' },
  linking: { icon: IconQrcode, tone: 'wait' },
  connecting: { icon: IconLoader2, tone: 'wait' },
  unlinked: { icon: IconDeviceMobileOff, tone: 'warn' },
  offline: { icon: IconCloudOff, tone: 'warn' },
  paused: { icon: IconPlayerPause, tone: 'warn' },
  replaced: { icon: IconReplace, tone: 'bad' },
  logged_out: { icon: IconDeviceMobileOff, tone: 'bad' },
  restricted: { icon: IconAlertTriangle, tone: 'bad' },
}

export function SenderState({ state }: { state: State }) {
  const { t } = useTranslation()
  return <StatusBadge look={LOOKS[state]} label={t(`states.sender.${state}`)} />
}
