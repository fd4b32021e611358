import { IconAlertCircle, IconCircleCheck, IconCircleDashed, IconPlugConnectedX, IconPower } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { WebhookView } from '../../../server/contract/webhooks.ts'
import classes from '../../components/status.module.css'
import { endpointHealth } from '../../model/endpoint-health.ts'

const LOOK = {
  gone: { icon: IconPlugConnectedX, tone: 'bad' },
  failing: { icon: IconAlertCircle, tone: 'bad' },
  idle: { icon: IconCircleDashed, tone: 'wait' },
  well: { icon: IconCircleCheck, tone: 'good' },
  off: { icon: IconPower, tone: 'warn' },
}

/** How a receiver is, as icon and word. */
export function EndpointState({ endpoint }: { endpoint: WebhookView }) {
  const { t } = useTranslation()
  const health = endpointHealth(endpoint)
  const { icon: Icon, tone } = LOOK[health]
  return (
    <span className={classes.status} data-tone={tone}>
      <Icon size={18} stroke={1.75} aria-hidden="true" />
      {t(`webhooks.health.${health}`)}
    </span>
  )
}
