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
import { type Concern, isAlarm } from '../../server/contract/concerns.ts'
import type { SenderView, SenderState as State } from '../../server/contract/senders.ts'
import { useSenderConcern } from '../hooks/use-concerns.ts'
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

/** Never green beside something that is wrong, and no missing connection where the cause is another. */
function toneOfTrouble({ kind, state, official }: SenderView, concern: Concern | undefined): StatusLook['tone'] | null {
  const alarm = concern !== undefined && isAlarm(concern) ? concern : undefined
  const hides = state === 'connected' || (kind === 'official' && state === 'offline' && alarm?.code !== 'offline')
  if (!hides) return null
  if (alarm !== undefined) return alarm.weight === 'urgent' ? 'bad' : 'warn'
  return official?.checks.some(({ ok }) => !ok) ? 'warn' : null
}

/** How a sender is, in a word or two. */
export function SenderState({ sender }: { sender: SenderView }) {
  const { t } = useTranslation()
  const tone = toneOfTrouble(sender, useSenderConcern(sender.sender_code))
  return tone === null ? (
    <StatusBadge look={LOOKS[sender.state]} label={t(`states.sender.${sender.state}`)} />
  ) : (
    <StatusBadge look={{ icon: IconAlertTriangle, tone }} label={t('states.troubled')} />
  )
}
