import { Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { WebhookView } from '../../../server/contract/webhooks.ts'
import { useUpdateWebhook } from '../../api/webhooks.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { Section } from '../../components/section.tsx'
import { EndpointFields, useEndpointForm, withTest } from './endpoint-fields.tsx'

/** Changes the address, format, events and senders of an endpoint. */
export function EndpointForm({ endpoint }: { endpoint: WebhookView }) {
  const { t } = useTranslation()
  const update = useUpdateWebhook(endpoint.id)
  const { form, edited, onSave } = useEndpointForm(endpoint)

  return (
    <Section title={t('webhooks.form.heading')}>
      <form onSubmit={onSave((changes, then) => update.mutate(withTest(changes), then))} noValidate>
        <Stack>
          <EndpointFields form={form} />
          {update.error === null ? null : <ErrorState error={update.error} marked={form.values} />}
          <BusyButton type="submit" busy={update.isPending} disabled={!edited} style={{ alignSelf: 'flex-end' }}>
            {t('actions.save')}
          </BusyButton>
        </Stack>
      </form>
    </Section>
  )
}
