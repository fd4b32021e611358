import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useTranslation } from 'react-i18next'
import type { WebhookView } from '../../../server/contract/webhooks.ts'
import { useReplayDead } from '../../api/deliveries.ts'
import { useUpdateWebhook } from '../../api/webhooks.ts'

interface EndpointMendProps {
  endpoint: WebhookView
  variant?: 'filled' | 'default'
}

/** The one button that brings a receiver back; nothing when it needs none. */
export function EndpointMend({ endpoint, variant = 'default' }: EndpointMendProps) {
  const { t } = useTranslation()
  const update = useUpdateWebhook(endpoint.id)
  const replay = useReplayDead(endpoint.id)
  if (!endpoint.enabled) {
    return (
      <Button size="xs" variant={variant} loading={update.isPending} onClick={() => update.mutate({ enabled: true })}>
        {t('webhooks.switchOn')}
      </Button>
    )
  }
  if (endpoint.dead === 0) return null
  return (
    <Button
      size="xs"
      variant={variant}
      loading={replay.isPending}
      onClick={() =>
        replay.mutate(undefined, {
          onSuccess: (count) => notifications.show({ message: t('webhooks.replayed', { count }) }),
        })
      }
    >
      {t('webhooks.replayDead', { count: endpoint.dead })}
    </Button>
  )
}
