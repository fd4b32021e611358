import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCloudOff,
  IconDeviceMobileOff,
  IconLoader2,
  IconPlayerPause,
  type IconProps,
  IconQrcode,
  IconReplace,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import { useTranslation } from 'react-i18next'
import type { SenderState as State } from '../../server/contract/senders.ts'
import classes from './status.module.css'

const LOOK: Record<State, { icon: ComponentType<IconProps>; tone: string }> = {
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

/** The state of a sender, as icon and word. */
export function SenderState({ state }: { state: State }) {
  const { t } = useTranslation()
  const { icon: Icon, tone } = LOOK[state]
  return (
    <span className={classes.status} data-tone={tone}>
      <Icon size={18} stroke={1.75} aria-hidden="true" />
      {t(`states.sender.${state}`)}
    </span>
  )
}
