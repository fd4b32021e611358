import { Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Delivery } from '../../server/contract/webhooks.ts'
import { useDelivery, useReplayDelivery } from '../api/deliveries.ts'
import { useCallbackError } from '../hooks/use-callback-error.ts'
import { useFormat } from '../hooks/use-format.ts'
import { BusyButton } from './busy-button.tsx'
import { ErrorState } from './error-state.tsx'
import { JsonBlock } from './json-block.tsx'
import { QueryView } from './query-view.tsx'

/** A delivery for the programmer: its address, request and answers, and a button to send again. */
export function DeliveryDetail({ id }: { id: string }) {
  const { t } = useTranslation()
  const delivery = useDelivery(id)
  const replay = useReplayDelivery(id)
  return (
    <QueryView query={delivery}>
      {({ url, request, attempts }) => (
        <Stack gap="sm">
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            POST {url}
          </Text>
          <JsonBlock label={t('messages.request')} value={request} />
          {attempts.map((attempt) => (
            <AttemptAnswer key={attempt.at} attempt={attempt} />
          ))}
          <BusyButton
            size="xs"
            variant="default"
            style={{ alignSelf: 'flex-start' }}
            busy={replay.isPending}
            onClick={() => replay.mutate()}
          >
            {t('messages.replay')}
          </BusyButton>
          {replay.error === null ? null : <ErrorState error={replay.error} />}
        </Stack>
      )}
    </QueryView>
  )
}

/** An endpoint's answer to one attempt, and when it came. */
export function AttemptAnswer({ attempt }: { attempt: Delivery['attempts'][number] }) {
  const { t } = useTranslation()
  const format = useFormat()
  const errorText = useCallbackError()
  const { at, status, error, error_code, body, took_ms } = attempt
  const label = `${format.exact(at)} · ${status ?? t('messages.noAnswer')} · ${format.number(took_ms)} ms`
  return (
    <JsonBlock
      label={label}
      value={body || (errorText({ error, code: error_code, status }) ?? t('messages.emptyAnswer'))}
    />
  )
}
