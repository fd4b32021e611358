import { Stack, Text, UnstyledButton } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { MessageDetail } from '../../../server/contract/messages.ts'
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

function Callback({ delivery: { id, event, state } }: { delivery: DeliveryOfMessage }) {
  const [open, setOpen] = useState(false)
  const Chevron = open ? IconChevronDown : IconChevronRight
  return (
    <div className={classes.delivery}>
      <UnstyledButton className={classes.deliveryHead ?? ''} aria-expanded={open} onClick={() => setOpen(!open)}>
        <Chevron size={16} aria-hidden="true" />
        <Text component="span" size="sm" flex={1}>
          {event}
        </Text>
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
