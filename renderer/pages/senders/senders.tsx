import { Button, Paper } from '@mantine/core'
import { IconDeviceMobile, IconPlus } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useSenders } from '../../api/senders.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { Loading } from '../../components/loading.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { useUrlState } from '../../hooks/use-url-state.ts'
import { AddSender } from './add-sender.tsx'
import { SenderDrawer } from './sender-drawer.tsx'
import { SenderTable } from './sender-table.tsx'

/** `?open=` names the sender in the drawer; `new` opens the form for another one. */
const NEW = 'new'

export default function Senders() {
  const { t } = useTranslation()
  const senders = useSenders()
  const [get, set] = useUrlState()
  const open = get('open')
  const opened = senders.data?.find((sender) => sender.sender_code === open)
  const close = () => set({ open: undefined })
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => set({ open: NEW })}>
      {t('senders.add')}
    </Button>
  )
  return (
    <>
      <PageHeader title={t('senders.title')} lead={t('senders.lead')} action={add} />
      {senders.isPending ? <Loading /> : null}
      {senders.error === null ? null : <ErrorState error={senders.error} retry={() => void senders.refetch()} />}
      {senders.data === undefined ? null : (
        <Paper withBorder>
          {senders.data.length === 0 ? (
            <EmptyState
              icon={<IconDeviceMobile size={40} stroke={1.5} />}
              title={t('senders.empty')}
              hint={t('senders.emptyHint')}
            />
          ) : (
            <SenderTable senders={senders.data} open={open} />
          )}
        </Paper>
      )}
      {open === NEW ? <AddSender onClose={close} /> : null}
      {opened === undefined ? null : <SenderDrawer key={opened.sender_code} sender={opened} onClose={close} />}
    </>
  )
}
