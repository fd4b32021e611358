import { Button, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Delivery } from '../../server/contract/deliveries.ts'
import { useDelivery, useReplayDelivery } from '../api/deliveries.ts'
import { useCallbackError } from '../hooks/use-callback-error.ts'
import { clockTime } from '../model/time.ts'
import { ErrorState } from './error-state.tsx'
import { JsonBlock } from './json-block.tsx'
import { Loading } from './loading.tsx'

/** One callback for the programmer: where it goes, what is sent, what was answered, and sending it again. */
export function DeliveryDetail({ id }: { id: string }) {
  const { t } = useTranslation()
  const delivery = useDelivery(id)
  const replay = useReplayDelivery(id)
  if (delivery.error !== null) return <ErrorState error={delivery.error} retry={() => void delivery.refetch()} />
  if (delivery.data === undefined) return <Loading />
  return (
    <Stack gap="sm">
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        POST {delivery.data.url}
      </Text>
      <JsonBlock label={t('messages.request')} value={delivery.data.request} />
      {delivery.data.attempts.map((attempt) => (
        <AttemptAnswer key={attempt.at} attempt={attempt} />
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

/** What a receiver answered to one attempt, and when. */
export function AttemptAnswer({ attempt }: { attempt: Delivery['attempts'][number] }) {
  const { t, i18n } = useTranslation()
  const errorWords = useCallbackError()
  const { at, status, error, body, took_ms } = attempt
  const label = `${clockTime(at, i18n.language)} · ${status ?? t('messages.noAnswer')} · ${took_ms} ms`
  return <JsonBlock label={label} value={body || (error === null ? t('messages.emptyAnswer') : errorWords(error))} />
}
