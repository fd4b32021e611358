import { Button, Stack, Text, UnstyledButton } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { MessageDetail } from '../../../server/contract/messages.ts'
import type { Delivery } from '../../../server/contract/webhooks.ts'
import { useDelivery, useReplayDelivery } from '../../api/deliveries.ts'
import { DeliveryState } from '../../components/delivery-state.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { JsonBlock } from '../../components/json-block.tsx'
import { Loading } from '../../components/loading.tsx'
import { clockTime } from '../../lib/time.ts'
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
      {open ? <DeliveryDetail id={id} /> : null}
    </div>
  )
}

function DeliveryDetail({ id }: { id: string }) {
  const { t } = useTranslation()
  const delivery = useDelivery(id)
  const replay = useReplayDelivery(id)
  if (delivery.error !== null) return <ErrorState error={delivery.error} />
  if (delivery.data === undefined) return <Loading />
  return (
    <Stack gap="sm" className={classes.deliveryBody ?? ''}>
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        POST {delivery.data.url}
      </Text>
      <JsonBlock label={t('messages.request')} value={delivery.data.request} />
      {delivery.data.attempts.map((attempt) => (
        <DeliveryAttempt key={attempt.at} attempt={attempt} />
      ))}
      <Button
        size="xs"
        variant="default"
        style={{ alignSelf: 'flex-start' }}
        loading={replay.isPending}
        onClick={() => replay.mutate()}
      >
        {t('messages.replay')}
      </Button>
      {replay.error === null ? null : <ErrorState error={replay.error} />}
    </Stack>
  )
}

function DeliveryAttempt({ attempt: { at, status, error, body, took_ms } }: { attempt: Delivery['attempts'][number] }) {
  const { t, i18n } = useTranslation()
  const label = `${clockTime(at, i18n.language)} · ${status ?? error ?? t('messages.noAnswer')} · ${took_ms} ms`
  return <JsonBlock label={label} value={body ?? error ?? t('messages.noAnswer')} />
}
