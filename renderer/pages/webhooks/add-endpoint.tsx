import { Button, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useCreateWebhook } from '../../api/webhooks.ts'
import { Drawer } from '../../components/drawer.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { SecretOnce } from '../../components/secret-once.tsx'
import { useFieldErrors } from '../../hooks/use-field-errors.ts'
import { EndpointFields, requestOf } from './endpoint-fields.tsx'
import { useEndpointForm } from './use-endpoint-form.ts'
import { VerifyGuide } from './verify-guide.tsx'

interface AddEndpointProps {
  onClose: () => void
  /** With the id of the new receiver, once its secret is stored. */
  onDone: (id: string) => void
}

/** The form of a new receiver, then its secret. */
export function AddEndpoint({ onClose, onDone }: AddEndpointProps) {
  const { t } = useTranslation()
  const create = useCreateWebhook()
  const fieldErrors = useFieldErrors()
  const form = useEndpointForm()
  const made = create.data

  const submit = form.onSubmit((values) =>
    create.mutate(requestOf(values), { onError: (error) => form.setErrors(fieldErrors(error)) }),
  )

  return (
    <Drawer title={t('webhooks.add')} onClose={onClose}>
      {made === undefined ? (
        <form onSubmit={submit}>
          <Stack>
            <EndpointFields form={form} />
            {create.error === null ? null : <ErrorState error={create.error} />}
            <Button type="submit" loading={create.isPending} style={{ alignSelf: 'flex-end' }}>
              {t('actions.add')}
            </Button>
          </Stack>
        </form>
      ) : (
        <Stack gap="lg">
          <SecretOnce title={t('webhooks.secret.once')} hint={t('webhooks.secret.onceHint')} value={made.secret} />
          <VerifyGuide />
          <Button style={{ alignSelf: 'flex-end' }} onClick={() => onDone(made.id)}>
            {t('webhooks.secret.stored')}
          </Button>
        </Stack>
      )}
    </Drawer>
  )
}
