import { Alert, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconPlugConnectedX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { WebhookView } from '../../../server/contract/webhooks.ts'
import { useDeliverNow, useTestWebhook, useUpdateWebhook } from '../../api/webhooks.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { Facts } from '../../components/facts.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { useCallbackError } from '../../hooks/use-callback-error.ts'
import { useEndpointHealth } from '../../hooks/use-endpoint-health.ts'
import { useFormat } from '../../hooks/use-format.ts'
import { EndpointState } from './endpoint-state.tsx'
import { RecoverEndpoint } from './recover-endpoint.tsx'
import { TestAnswer } from './test-answer.tsx'

/** The state of an endpoint, and the buttons that help or test it. */
export function EndpointStatus({ endpoint }: { endpoint: WebhookView }) {
  const { t } = useTranslation()
  const test = useTestWebhook(endpoint.id)
  const update = useUpdateWebhook(endpoint.id)
  const deliver = useDeliverNow(endpoint.id)
  const health = useEndpointHealth()(endpoint)
  const format = useFormat()
  const lastError = useCallbackError()({
    error: endpoint.last_error,
    code: endpoint.last_error_code,
    status: endpoint.last_error_status,
  })
  const [last] = [test, update, deliver].toSorted((a, b) => b.submittedAt - a.submittedAt)
  const error = last?.error ?? null
  const host = new URL(endpoint.url).host
  function hint(): string {
    if (health === 'well' && endpoint.pending > 0) return t('webhooks.stillWaiting', { count: endpoint.pending })
    if (health === 'failing' && endpoint.last_error === null) return t('webhooks.givenUp', { count: endpoint.dead })
    if (health === 'failing' && endpoint.dead === 0) return t('webhooks.failingWaits', { host })
    return health === 'gone' ? '' : t(`webhooks.healthHint.${health}`, { host })
  }
  return (
    <Stack gap="md">
      <div>
        <EndpointState health={health} />
        <Text size="sm" c="dimmed">
          {hint()}
        </Text>
      </div>
      {health === 'gone' ? (
        <Alert color="red" icon={<IconPlugConnectedX size={20} />} title={t('webhooks.gone')}>
          {t('webhooks.goneWaiting', { count: endpoint.pending })}
        </Alert>
      ) : null}
      <Group gap="sm">
        <RecoverEndpoint endpoint={endpoint} variant="filled" />
        {endpoint.enabled && endpoint.pending > 0 ? (
          <BusyButton
            size="xs"
            variant="default"
            busy={deliver.isPending}
            onClick={() =>
              deliver.mutate(undefined, {
                onSuccess: (count) => notifications.show({ message: t('webhooks.hastened', { count }) }),
              })
            }
          >
            {t('webhooks.deliverNow')}
          </BusyButton>
        ) : null}
        <BusyButton
          size="xs"
          variant={health === 'idle' ? 'filled' : 'default'}
          busy={test.isPending}
          onClick={() => test.mutate()}
        >
          {t('webhooks.test')}
        </BusyButton>
        {endpoint.enabled ? (
          <BusyButton
            size="xs"
            variant="default"
            busy={update.isPending}
            onClick={() => update.mutate({ enabled: false })}
          >
            {t('webhooks.switchOff')}
          </BusyButton>
        ) : null}
      </Group>
      {error === null ? null : <ErrorState error={error} />}
      {test.data === undefined || test.isPending ? null : <TestAnswer attempt={test.data.attempt} />}
      <Facts
        facts={[
          [t('webhooks.lastDelivered'), <TimeAgo key="last" at={endpoint.last_delivered_at} />],
          [t('webhooks.lastError'), lastError],
          [t('webhooks.waiting'), format.number(endpoint.pending)],
          [t('webhooks.dead'), format.number(endpoint.dead)],
        ]}
      />
    </Stack>
  )
}
