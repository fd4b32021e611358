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

/**
 * Returns a tone if a concern must replace the state: "connected" must not look green, and an
 * official sender's "offline" must not hide another cause.
 */
function toneOfTrouble({ kind, state }: SenderView, concern: Concern | undefined): StatusLook['tone'] | null {
  if (concern === undefined || !isAlarm(concern)) return null
  const hides = state === 'connected' || (kind === 'official' && state === 'offline' && concern.code !== 'offline')
  if (!hides) return null
  return concern.weight === 'urgent' ? 'bad' : 'warn'
}

interface SenderStateProps {
  sender: SenderView
  /** The sender's checks are shown below, so the state is not green if one of them fails. */
  aboveChecks?: true
}

/** The state of a sender, in a word or two. */
export function SenderState({ sender, aboveChecks }: SenderStateProps) {
  const { t } = useTranslation()
  const { sender_code, state, official } = sender
  const tone = toneOfTrouble(sender, useSenderConcern(sender_code))
  if (tone !== null) return <StatusBadge look={{ icon: IconAlertTriangle, tone }} label={t('states.troubled')} />
  const doubtful = aboveChecks && state === 'connected' && official?.checks.some(({ ok }) => !ok)
  const look: StatusLook = doubtful ? { icon: IconAlertTriangle, tone: 'warn' } : LOOKS[state]
  return <StatusBadge look={look} label={t(`states.sender.${state}`)} />
}
