import { Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useTranslation } from 'react-i18next'
import type { WebhookView } from '../../../server/contract/webhooks.ts'
import { useDiscardDead, useReplayDead } from '../../api/deliveries.ts'
import { useUpdateWebhook } from '../../api/webhooks.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { useTellError } from '../../hooks/use-tell-error.ts'
import { needsRecovery } from '../../model/endpoint-health.ts'

interface RecoverEndpointProps {
  endpoint: WebhookView
  variant?: 'filled' | 'default'
}

/** The buttons for an endpoint that is off or has dead deliveries. Shows nothing otherwise. */
export function RecoverEndpoint({ endpoint, variant = 'default' }: RecoverEndpointProps) {
  const { t } = useTranslation()
  const update = useUpdateWebhook(endpoint.id)
  const replay = useReplayDead(endpoint.id)
  const discard = useDiscardDead(endpoint.id)
  const onError = useTellError()
  // Promises, because this component is unmounted by then, and mutate() would call no callback.
  const tell = (done: Promise<number>, message: (count: number) => string) =>
    void done.then((count) => notifications.show({ message: message(count) }), onError)
  if (!endpoint.enabled) {
    return (
      <BusyButton
        size="xs"
        variant={variant}
        busy={update.isPending}
        onClick={() => update.mutate({ enabled: true }, { onError })}
      >
        {t('webhooks.switchOn')}
      </BusyButton>
    )
  }
  if (!needsRecovery(endpoint)) return null
  return (
    <Group gap="xs" display="inline-flex" wrap="nowrap">
      <BusyButton
        size="xs"
        variant={variant}
        busy={replay.isPending}
        onClick={() => tell(replay.mutateAsync(), (count) => t('webhooks.replayed', { count }))}
      >
        {t('webhooks.replayDead', { count: endpoint.dead })}
      </BusyButton>
      <BusyButton
        size="xs"
        variant="subtle"
        busy={discard.isPending}
        onClick={() => tell(discard.mutateAsync(), (count) => t('webhooks.discarded', { count }))}
      >
        {t('webhooks.discardDead')}
      </BusyButton>
    </Group>
  )
}
