import { Button } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { WebhookView } from '../../../server/contract/webhooks.ts'
import { useDeleteWebhook } from '../../api/webhooks.ts'
import { ConfirmTyped } from '../../components/confirm-typed.tsx'

export function EndpointDanger({ endpoint: { id, pending } }: { endpoint: WebhookView }) {
  const { t } = useTranslation()
  const [asking, setAsking] = useState(false)
  const remove = useDeleteWebhook(id)
  return (
    <>
      <Button
        size="xs"
        variant="outline"
        color="red"
        style={{ alignSelf: 'flex-start' }}
        onClick={() => setAsking(true)}
      >
        {t('webhooks.delete.button')}
      </Button>
      <ConfirmTyped
        opened={asking}
        title={t('webhooks.delete.title')}
        losses={[
          ...(pending > 0 ? [t('webhooks.delete.waiting', { count: pending })] : []),
          t('webhooks.delete.deliveries'),
          t('webhooks.delete.secret'),
        ]}
        word={t('webhooks.delete.word')}
        confirmLabel={t('webhooks.delete.button')}
        pending={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
