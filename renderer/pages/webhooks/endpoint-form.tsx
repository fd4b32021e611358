import { Button, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useTranslation } from 'react-i18next'
import type { WebhookView } from '../../../server/contract/webhooks.ts'
import { useUpdateWebhook } from '../../api/webhooks.ts'
import { ErrorState } from '../../components/error-state.tsx'
import { Section } from '../../components/section.tsx'
import { useFieldErrors } from '../../hooks/use-field-errors.ts'
import { EndpointFields, requestOf } from './endpoint-fields.tsx'
import { useEndpointForm } from './use-endpoint-form.ts'

/** Changes the address of a receiver and what it hears of. */
export function EndpointForm({ endpoint }: { endpoint: WebhookView }) {
  const { t } = useTranslation()
  const update = useUpdateWebhook(endpoint.id)
  const fieldErrors = useFieldErrors()
  const form = useEndpointForm(endpoint)

  const save = form.onSubmit((values) =>
    update.mutate(requestOf(values), {
      onSuccess: () => {
        form.resetDirty()
        notifications.show({ message: t('actions.saved') })
      },
      onError: (error) => form.setErrors(fieldErrors(error)),
    }),
  )

  return (
    <Section title={t('webhooks.form.heading')}>
      <form onSubmit={save}>
        <Stack>
          <EndpointFields form={form} />
          {update.error === null ? null : <ErrorState error={update.error} />}
          <Button type="submit" loading={update.isPending} disabled={!form.isDirty()} style={{ alignSelf: 'flex-end' }}>
            {t('actions.save')}
          </Button>
        </Stack>
      </form>
    </Section>
  )
}
