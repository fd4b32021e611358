import { useMediaQuery } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import type { Delivery } from '../../../server/contract/deliveries.ts'
import type { WebhookView } from '../../../server/contract/webhooks.ts'
import { DeliveryState } from '../../components/delivery-state.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import type { Column } from '../../components/virtual-table.tsx'
import { useCallbackError } from '../../hooks/use-callback-error.ts'

export function useDeliveryColumns(endpoints: WebhookView[]): Column<Delivery>[] {
  const { t } = useTranslation()
  const narrow = useMediaQuery('(max-width: 1180px)')
  const urlOf = (id: string) => endpoints.find((one) => one.id === id)?.url.replace(/^https?:\/\//, '')
  const columns: Column<Delivery>[] = [
    { id: 'state', title: t('webhooks.state'), width: '112px', cell: (row) => <DeliveryState state={row.state} /> },
    { id: 'time', title: t('webhooks.deliveries.time'), width: '96px', cell: (row) => <TimeAgo at={row.created_at} /> },
    {
      id: 'event',
      title: t('webhooks.deliveries.event'),
      width: '176px',
      cell: ({ event }) => <span title={event}>{t(`webhooks.event.${event}`)}</span>,
    },
    {
      id: 'receiver',
      title: t('webhooks.receiver'),
      width: 'minmax(0, 1fr)',
      cell: (row) => urlOf(row.webhook_id),
    },
    {
      id: 'answer',
      title: t('webhooks.deliveries.answer'),
      width: 'minmax(0, 1fr)',
      cell: (row) => <LastAnswer delivery={row} />,
    },
    { id: 'tries', title: t('webhooks.deliveries.tries'), width: '56px', cell: (row) => row.attempts.length },
  ]
  return narrow || endpoints.length < 2 ? columns.filter(({ id }) => id !== 'receiver') : columns
}

function LastAnswer({ delivery: { attempts, next_at, state } }: { delivery: Delivery }) {
  const { t } = useTranslation()
  const errorWords = useCallbackError()
  const last = attempts.at(-1)
  if (last === undefined) return <>{t('words.none')}</>
  return (
    <>
      {last.status ?? (last.error === null ? null : errorWords(last.error))}
      {state === 'pending' && next_at !== null ? (
        <>
          {' · '}
          <TimeAgo at={next_at} />
        </>
      ) : null}
    </>
  )
}
