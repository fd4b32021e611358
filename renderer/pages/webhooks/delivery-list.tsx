import { Paper, Title } from '@mantine/core'
import { IconArrowsExchange, IconSearchOff } from '@tabler/icons-react'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearch } from 'wouter'
import { DELIVERY_STATES, type Delivery } from '../../../server/contract/deliveries.ts'
import type { WebhookView } from '../../../server/contract/webhooks.ts'
import { useDeliveries } from '../../api/deliveries.ts'
import { DeliveryState } from '../../components/delivery-state.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { type Filter, FilterChips } from '../../components/filter-chips.tsx'
import { Loading } from '../../components/loading.tsx'
import { VirtualTable } from '../../components/virtual-table.tsx'
import { useUrlState, withChange } from '../../hooks/use-url-state.ts'
import { useDeliveryColumns } from './use-delivery-columns.tsx'
import classes from './webhooks.module.css'

interface DeliveryListProps {
  endpoints: WebhookView[]
  /** The delivery in the drawer. */
  open: string | undefined
}

/** What was sent to receivers, newest first, filtered by what stands in the address. */
export function DeliveryList({ endpoints, open }: DeliveryListProps) {
  const { t } = useTranslation()
  const headingId = useId()
  const search = useSearch()
  const [get] = useUrlState()
  const state = get('state')
  const receiver = get('receiver')
  const deliveries = useDeliveries({ state, webhook_id: receiver })
  const columns = useDeliveryColumns(endpoints)
  const filters = useFilters(endpoints)
  const rows = deliveries.data?.pages.flatMap((page) => page.data)
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
      {rows?.length === 0 ? <Nothing filtered={state !== undefined || receiver !== undefined} /> : null}
      {rows === undefined || rows.length === 0 ? null : (
        <VirtualTable
          label={t('webhooks.deliveries.title')}
          columns={columns}
          rows={rows}
          idOf={({ id }) => inOrder(id)}
          hrefOf={hrefOf}
          nameOf={(row) => `${t(`messages.delivery.${row.state}`)}, ${t(`webhooks.event.${row.event}`)}`}
          openId={open === undefined ? undefined : inOrder(open)}
          hasMore={deliveries.hasNextPage}
          loadMore={() => {
            if (!deliveries.isFetchingNextPage) void deliveries.fetchNextPage()
          }}
        />
      )}
    </section>
  )
}

/** Ids count up; as texts they are in order only when they are of one length. */
const inOrder = (id: string) => id.padStart(16, '0')

function useFilters(endpoints: WebhookView[]): Filter[] {
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
  const receivers: Filter = {
    name: 'receiver',
    label: t('webhooks.receiver'),
    options: endpoints.map(({ id, url }) => {
      const text = url.replace(/^https?:\/\//, '')
      return { value: id, label: text, text }
    }),
  }
  return endpoints.length > 1 ? [states, receivers] : [states]
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
