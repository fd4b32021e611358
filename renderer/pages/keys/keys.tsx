import { Button, Paper } from '@mantine/core'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useKeys } from '../../api/keys.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { Loading } from '../../components/loading.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { useUrlState } from '../../hooks/use-url-state.ts'
import { CreateKey } from './create-key.tsx'
import { KeyDrawer } from './key-drawer.tsx'
import { KeyTable } from './key-table.tsx'

/** `?open=` names the key in the drawer; `new` opens the form for another one. */
const NEW = 'new'

export default function Keys() {
  const { t } = useTranslation()
  const keys = useKeys()
  const [get, set] = useUrlState()
  const open = get('open')
  const opened = keys.data?.find(({ id }) => id === open)
  const close = () => set({ open: undefined })
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => set({ open: NEW })}>
      {t('keys.create')}
    </Button>
  )
  return (
    <>
      <PageHeader title={t('keys.title')} lead={t('keys.lead')} action={create} />
      {keys.isPending ? <Loading /> : null}
      {keys.error === null ? null : <ErrorState error={keys.error} retry={() => void keys.refetch()} />}
      {keys.data === undefined ? null : (
        <Paper withBorder>
          {keys.data.length === 0 ? (
            <EmptyState icon={<IconKey size={40} stroke={1.5} />} title={t('keys.empty')} hint={t('keys.emptyHint')} />
          ) : (
            <KeyTable keys={keys.data} open={open} />
          )}
        </Paper>
      )}
      {open === NEW ? <CreateKey onClose={close} /> : null}
      {opened === undefined ? null : <KeyDrawer key={opened.id} apiKey={opened} onClose={close} />}
    </>
  )
}
