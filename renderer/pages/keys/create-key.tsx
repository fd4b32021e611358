import { Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useCreateKey } from '../../api/keys.ts'
import { Drawer } from '../../components/drawer.tsx'
import { keyOfForm } from '../../model/key-form.ts'
import { KeyForm } from './key-form.tsx'
import { NewKey } from './new-key.tsx'

/** The form of a new key, then the key itself. */
export function CreateKey({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const create = useCreateKey()
  return (
    <Drawer title={create.data?.name ?? t('keys.create')} onClose={onClose}>
      <Stack>
        {create.data === undefined ? (
          <KeyForm
            pending={create.isPending}
            error={create.error}
            submit={(values, onError) => create.mutate(keyOfForm(values, Date.now()), { onError })}
          />
        ) : (
          <NewKey made={create.data} onDone={onClose} />
        )}
      </Stack>
    </Drawer>
  )
}
