import { Stack, Text, UnstyledButton } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { MessageDetail } from '../../../server/contract/messages.ts'
import { useWebhooks } from '../../api/webhooks.ts'
import { useEventName } from '../../hooks/use-event-name.ts'
import { shortUrl } from '../../model/endpoint-health.ts'
import { DeliveryDetail } from '../delivery-detail.tsx'
import { DeliveryState } from '../delivery-state.tsx'
import classes from './message-log.module.css'

type DeliveryOfMessage = MessageDetail['deliveries'][number]

export function Callbacks({ deliveries }: { deliveries: DeliveryOfMessage[] }) {
  const { t } = useTranslation()
  if (deliveries.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t('messages.noCallbacks')}
      </Text>
    )
  }
  return (
    <Stack gap="sm">
      {deliveries.map((delivery) => (
        <Callback key={delivery.id} delivery={delivery} />
      ))}
    </Stack>
  )
}

function Callback({ delivery: { id, event, state, webhook_id } }: { delivery: DeliveryOfMessage }) {
  const { t } = useTranslation()
  const [open, setOpen] = useState(false)
  const eventName = useEventName()
  const url = useWebhooks().data?.find((endpoint) => endpoint.id === webhook_id)?.url
  const Chevron = open ? IconChevronDown : IconChevronRight
  return (
    <div className={classes.delivery}>
      <UnstyledButton className={classes.deliveryHead ?? ''} aria-expanded={open} onClick={() => setOpen(!open)}>
        <Chevron size={16} aria-hidden="true" />
        <span className={classes.deliveryName}>
          {eventName(event)}
          {url === undefined ? null : (
            <Text component="span" display="block" size="xs" c="dimmed" truncate title={url}>
              {t('messages.callbackTo', { address: shortUrl(url) })}
            </Text>
          )}
        </span>
        <DeliveryState state={state} />
      </UnstyledButton>
      {open ? (
        <div className={classes.deliveryBody}>
          <DeliveryDetail id={id} />
        </div>
      ) : null}
    </div>
  )
}
