import { Button, Paper } from '@mantine/core'
import { IconPlus, IconWebhook } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useWebhooks } from '../../api/webhooks.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { Loading } from '../../components/loading.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { useUrlState } from '../../hooks/use-url-state.ts'
import { worstFirst } from '../../model/endpoint-health.ts'
import { AddEndpoint } from './add-endpoint.tsx'
import { DeliveryDrawer } from './delivery-drawer.tsx'
import { DeliveryList } from './delivery-list.tsx'
import { EndpointDrawer } from './endpoint-drawer.tsx'
import { EndpointTable } from './endpoint-table.tsx'
import classes from './webhooks.module.css'

/** `?open=` names the receiver in the drawer, `new` opens the form for another one; `?delivery=` names a callback. */
const NEW = 'new'

export default function Webhooks() {
  const { t } = useTranslation()
  const webhooks = useWebhooks()
  const [get, set] = useUrlState()
  const open = get('open')
  const delivery = get('delivery')
  const opened = webhooks.data?.find(({ id }) => id === open)
  const close = () => set({ open: undefined, delivery: undefined })
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => set({ open: NEW, delivery: undefined })}>
      {t('webhooks.add')}
    </Button>
  )
  return (
    <div className={classes.page}>
      <PageHeader title={t('webhooks.title')} lead={t('webhooks.lead')} action={add} />
      {webhooks.isPending ? <Loading /> : null}
      {webhooks.error === null ? null : <ErrorState error={webhooks.error} retry={() => void webhooks.refetch()} />}
      {webhooks.data?.length === 0 ? (
        <Paper withBorder>
          <EmptyState
            icon={<IconWebhook size={40} stroke={1.5} />}
            title={t('webhooks.empty')}
            hint={t('webhooks.emptyHint')}
          />
        </Paper>
      ) : null}
      {webhooks.data === undefined || webhooks.data.length === 0 ? null : (
        <>
          <EndpointTable endpoints={worstFirst(webhooks.data)} open={open} />
          <DeliveryList endpoints={webhooks.data} open={delivery} />
        </>
      )}
      {open === NEW ? <AddEndpoint onClose={close} onDone={(id) => set({ open: id })} /> : null}
      {opened === undefined ? null : <EndpointDrawer key={opened.id} endpoint={opened} onClose={close} />}
      {delivery === undefined ? null : <DeliveryDrawer key={delivery} id={delivery} onClose={close} />}
    </div>
  )
}
