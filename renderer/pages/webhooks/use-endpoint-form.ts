import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import type { WebhookView } from '../../../server/contract/webhooks.ts'
import { valuesOf } from './endpoint-fields.tsx'

/** The form of a receiver, with what can be told without asking the server. */
export function useEndpointForm(endpoint?: WebhookView) {
  const { t } = useTranslation()
  return useForm({
    initialValues: valuesOf(endpoint),
    validate: {
      events: (events) => (events.length === 0 ? t('webhooks.form.noEvents') : null),
      senderCodes: (codes, { reach }) => (reach === 'some' && codes.length === 0 ? t('webhooks.form.noSenders') : null),
    },
  })
}
