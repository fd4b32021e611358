import { Paper, Title } from '@mantine/core'
import { IconArrowsExchange, IconSearchOff } from '@tabler/icons-react'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearch } from 'wouter'
import { DELIVERY_STATES, type Delivery, type WebhookView } from '../../../server/contract/webhooks.ts'
import { useDeliveries } from '../../api/deliveries.ts'
import { DeliveryState } from '../../components/delivery-state.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { type Filter, FilterChips } from '../../components/filter-chips.tsx'
import { Loading } from '../../components/loading.tsx'
import { VirtualTable } from '../../components/table/virtual-table.tsx'
import { useUrlState, withChange } from '../../hooks/use-url-state.ts'
import { shortUrl } from '../../model/endpoint-health.ts'
import { neighbours } from '../../model/neighbours.ts'
import { DeliveryDrawer } from './delivery-drawer.tsx'
import { useDeliveryColumns } from './use-delivery-columns.tsx'
import classes from './webhooks.module.css'

/** Deliveries, newest first. The address holds the filters, and the open one as `?delivery=`. */
export function DeliveryList({ endpoints }: { endpoints: WebhookView[] }) {
  const { t } = useTranslation()
  const headingId = useId()
  const search = useSearch()
  const [get, set] = useUrlState()
  const state = get('state')
  const endpoint = get('endpoint')
  const open = get('delivery')
  const deliveries = useDeliveries({ state, webhook_id: endpoint })
  const columns = useDeliveryColumns(endpoints)
  const filters = useFilters(endpoints, endpoint)
  const rows = deliveries.data?.pages.flatMap((page) => page.data)
  const at = rows?.findIndex(({ id }) => id === open) ?? -1
  const hrefOf = ({ id }: Delivery) => `?${withChange(new URLSearchParams(search), { delivery: id, open: undefined })}`

  return (
    <section className={classes.deliveries} aria-labelledby={headingId}>
      <div className={classes.deliveriesHead}>
        <Title order={2} id={headingId}>
          {t('webhooks.deliveries.title')}
        </Title>
        <FilterChips filters={filters} />
      </div>
      {deliveries.error === null ? null : (
        <ErrorState error={deliveries.error} retry={() => void deliveries.refetch()} />
      )}
      {rows === undefined && deliveries.error === null ? <Loading /> : null}
      {rows?.length === 0 ? <Nothing filtered={state !== undefined || endpoint !== undefined} /> : null}
      {rows === undefined || rows.length === 0 ? null : (
        <VirtualTable
          key={`${state} ${endpoint}`}
          label={t('webhooks.deliveries.title')}
          columns={columns}
          rows={rows}
          idOf={({ id }) => inOrder(id)}
          timeOf={({ created_at }) => created_at}
          hrefOf={hrefOf}
          nameOf={(row) => `${t(`messages.delivery.${row.state}`)}, ${t(`webhooks.event.${row.event}`)}`}
          openId={open === undefined ? undefined : inOrder(open)}
          hasMore={deliveries.hasNextPage}
          loadMore={() => {
            if (!deliveries.isFetching && !deliveries.isFetchNextPageError) void deliveries.fetchNextPage()
          }}
        />
      )}
      {open === undefined ? null : (
        <DeliveryDrawer
          id={open}
          of={inOrder(open)}
          onClose={() => set({ delivery: undefined })}
          {...neighbours(rows ?? [], at, ({ id }) => set({ delivery: id }))}
        />
      )}
    </section>
  )
}

/** Pads an id, which is a counter, so that ids are in order as texts. */
const inOrder = (id: string) => id.padStart(16, '0')

/** @param chosen id of the endpoint in the filter, which may have been deleted */
function useFilters(endpoints: WebhookView[], chosen: string | undefined): Filter[] {
  const { t } = useTranslation()
  const states: Filter = {
    name: 'state',
    label: t('webhooks.state'),
    options: DELIVERY_STATES.map((state) => ({
      value: state,
      label: <DeliveryState state={state} />,
      text: t(`messages.delivery.${state}`),
    })),
  }
  const byEndpoint: Filter = {
    name: 'endpoint',
    label: t('webhooks.endpoint'),
    options: endpoints.map(({ id, url }) => ({ value: id, label: shortUrl(url), text: shortUrl(url) })),
  }
  return endpoints.length > 1 || chosen !== undefined ? [states, byEndpoint] : [states]
}

function Nothing({ filtered }: { filtered: boolean }) {
  const { t } = useTranslation()
  return (
    <Paper withBorder flex={1}>
      {filtered ? (
        <EmptyState
          icon={<IconSearchOff size={40} stroke={1.5} />}
          title={t('webhooks.deliveries.nothing')}
          hint={t('list.nothingHint')}
        />
      ) : (
        <EmptyState
          icon={<IconArrowsExchange size={40} stroke={1.5} />}
          title={t('webhooks.deliveries.empty')}
          hint={t('webhooks.deliveries.emptyHint')}
        />
      )}
    </Paper>
  )
}
