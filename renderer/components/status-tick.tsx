import {
  IconAlertCircle,
  IconBan,
  IconCheck,
  IconChecks,
  IconClock,
  type IconProps,
  IconSend,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import { useTranslation } from 'react-i18next'
import type { Status } from '../../server/contract/messages.ts'
import classes from './status.module.css'

const LOOK: Record<Status, { icon: ComponentType<IconProps>; tone: string }> = {
  queued: { icon: IconClock, tone: 'wait' },
  accepted: { icon: IconClock, tone: 'wait' },
  sending: { icon: IconSend, tone: 'wait' },
  sent: { icon: IconCheck, tone: 'wait' },
  delivered: { icon: IconChecks, tone: 'wait' },
  read: { icon: IconChecks, tone: 'read' },
  failed: { icon: IconAlertCircle, tone: 'bad' },
  cancelled: { icon: IconBan, tone: 'wait' },
}

interface StatusTickProps {
  status: Status
  /** Only the tick, where the word stands elsewhere or there is no room; it keeps its name for screen readers. */
  iconOnly?: boolean
}

/** The status of a message: the tick that everyone knows, and its word. */
export function StatusTick({ status, iconOnly = false }: StatusTickProps) {
  const { t } = useTranslation()
  const { icon: Icon, tone } = LOOK[status]
  const word = t(`states.message.${status}`)
  return (
    <span className={classes.status} data-tone={tone} {...(iconOnly ? { title: word } : {})}>
      <Icon size={18} stroke={1.75} {...(iconOnly ? { role: 'img', 'aria-label': word } : { 'aria-hidden': true })} />
      {iconOnly ? null : word}
    </span>
  )
}
