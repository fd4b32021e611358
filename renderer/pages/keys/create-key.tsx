import { useTranslation } from 'react-i18next'
import { useCreateKey } from '../../api/keys.ts'
import { Drawer, type DrawerFrame } from '../../components/drawer.tsx'
import { KeyForm } from './key-form.tsx'
import { NewKey } from './new-key.tsx'

/** The form for a new key, and then the key itself. */
export function CreateKey(frame: DrawerFrame) {
  const { t } = useTranslation()
  const create = useCreateKey()
  return (
    <Drawer {...frame} title={create.data?.name ?? t('keys.create')}>
      {create.data === undefined ? (
        <KeyForm create={create} />
      ) : (
        <NewKey created={create.data} onStored={frame.onClose} />
      )}
    </Drawer>
  )
}
