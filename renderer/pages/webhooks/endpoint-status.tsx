import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconPlugConnectedX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { WebhookView } from '../../../server/contract/webhooks.ts'
import { useTestWebhook, useUpdateWebhook } from '../../api/webhooks.ts'
import { ErrorState } from '../../components/error-state.tsx'
import { Facts } from '../../components/facts.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { useCallbackError } from '../../hooks/use-callback-error.ts'
import { endpointHealth } from '../../model/endpoint-health.ts'
import { EndpointMend } from './endpoint-mend.tsx'
import { EndpointState } from './endpoint-state.tsx'
import { TestAnswer } from './test-answer.tsx'

/** How a receiver is, in words, with what can be done now. */
export function EndpointStatus({ endpoint }: { endpoint: WebhookView }) {
  const { t } = useTranslation()
  const test = useTestWebhook(endpoint.id)
  const update = useUpdateWebhook(endpoint.id)
  const health = endpointHealth(endpoint)
  const errorWords = useCallbackError()
  const error = test.error ?? update.error
  return (
    <Stack gap="md">
      <div>
        <EndpointState endpoint={endpoint} />
        {health === 'gone' ? null : (
          <Text size="sm" c="dimmed">
            {t(`webhooks.healthWords.${health}`)}
          </Text>
        )}
      </div>
      {health === 'gone' ? (
        <Alert color="red" icon={<IconPlugConnectedX size={20} />} title={t('webhooks.gone')}>
          {t('webhooks.goneWaiting', { count: endpoint.pending })}
        </Alert>
      ) : null}
      <Group gap="sm">
        <EndpointMend endpoint={endpoint} variant="filled" />
        <Button
          size="xs"
          variant={health === 'idle' ? 'filled' : 'default'}
          loading={test.isPending}
          onClick={() => test.mutate()}
        >
          {t('webhooks.test')}
        </Button>
        {endpoint.enabled ? (
          <Button
            size="xs"
            variant="default"
            loading={update.isPending}
            onClick={() => update.mutate({ enabled: false })}
          >
            {t('webhooks.switchOff')}
          </Button>
        ) : null}
      </Group>
      {error === null ? null : <ErrorState error={error} />}
      {test.data === undefined || test.isPending ? null : <TestAnswer attempt={test.data.attempt} />}
      <Facts
        facts={[
          [t('webhooks.lastDelivered'), <TimeAgo key="last" at={endpoint.last_delivered_at} />],
          [t('webhooks.lastError'), endpoint.last_error === null ? null : errorWords(endpoint.last_error)],
          [t('webhooks.waiting'), endpoint.pending],
          [t('webhooks.dead'), endpoint.dead],
        ]}
      />
    </Stack>
  )
}
