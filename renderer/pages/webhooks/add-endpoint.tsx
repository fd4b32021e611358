import { Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useCreateWebhook } from '../../api/webhooks.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { Drawer, type DrawerFrame } from '../../components/drawer.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { SecretOnce } from '../../components/secret-once.tsx'
import { EndpointFields, useEndpointForm, withTest } from './endpoint-fields.tsx'
import { VerifyGuide } from './verify-guide.tsx'

interface AddEndpointProps extends DrawerFrame {
  /** Called with the id of the new endpoint when the owner has stored its secret. */
  onDone: (id: string) => void
}

/** The form for a new endpoint, and then its secret. */
export function AddEndpoint({ onDone, ...frame }: AddEndpointProps) {
  const { t } = useTranslation()
  const create = useCreateWebhook()
  const created = create.data
  return (
    <Drawer {...frame} title={t('webhooks.add')}>
      {created === undefined ? (
        <NewEndpoint create={create} />
      ) : (
        <Stack gap="lg">
          <SecretOnce
            title={t('webhooks.secret.once')}
            hint={t('webhooks.secret.onceHint')}
            value={created.secret}
            onStored={() => onDone(created.id)}
          />
          <VerifyGuide format={created.format} />
        </Stack>
      )}
    </Drawer>
  )
}

function NewEndpoint({ create }: { create: ReturnType<typeof useCreateWebhook> }) {
  const { t } = useTranslation()
  const { form, refuse, release } = useEndpointForm()
  const submit = form.onSubmit((values) =>
    create.mutate(withTest({ ...values, url: values.url.trim() }), { onSuccess: release, onError: refuse }),
  )
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <EndpointFields form={form} />
        {create.error === null ? null : <ErrorState makes error={create.error} marked={form.values} />}
        <BusyButton type="submit" busy={create.isPending} style={{ alignSelf: 'flex-end' }}>
          {t('actions.add')}
        </BusyButton>
      </Stack>
    </form>
  )
}
