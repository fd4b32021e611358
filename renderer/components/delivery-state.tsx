import { IconAlertCircle, IconCircleCheck, IconClock } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { Delivery } from '../../server/contract/deliveries.ts'
import classes from './status.module.css'

const LOOK = {
  pending: { icon: IconClock, tone: 'wait' },
  delivered: { icon: IconCircleCheck, tone: 'good' },
  dead: { icon: IconAlertCircle, tone: 'bad' },
}

/** The state of a callback, as icon and word. */
export function DeliveryState({ state }: { state: Delivery['state'] }) {
  const { t } = useTranslation()
  const { icon: Icon, tone } = LOOK[state]
  return (
    <span className={classes.status} data-tone={tone}>
      <Icon size={18} stroke={1.75} aria-hidden="true" />
      {t(`messages.delivery.${state}`)}
    </span>
  )
}
