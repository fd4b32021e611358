import { Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import type { Delivery, WebhookView } from '../../../server/contract/webhooks.ts'
import { DeliveryState } from '../../components/delivery-state.tsx'
import type { Column } from '../../components/table/column.ts'
import { TimeAgo } from '../../components/time-ago.tsx'
import { useCallbackError } from '../../hooks/use-callback-error.ts'
import { useFormat } from '../../hooks/use-format.ts'
import { useBesideDrawer } from '../../hooks/use-narrow.ts'
import { shortUrl } from '../../model/endpoint-health.ts'

export function useDeliveryColumns(endpoints: WebhookView[]): Column<Delivery>[] {
  const { t } = useTranslation()
  const roomy = useMediaQuery('(width >= 80em)', undefined, { getInitialValueInEffect: false })
  const beside = useBesideDrawer()
  const endpointOf = (id: string) => endpoints.find((one) => one.id === id)
  const urlOf = (id: string) => endpointOf(id)?.url ?? ''
  const endpoint: Column<Delivery> = {
    id: 'endpoint',
    title: t('webhooks.endpoint'),
    width: 'minmax(0, 1fr)',
    cell: ({ webhook_id }) => <span title={urlOf(webhook_id)}>{shortUrl(urlOf(webhook_id))}</span>,
  }
  return [
    {
      id: 'state',
      title: t('webhooks.state'),
      width: beside ? '104px' : '128px',
      cell: (row) => <DeliveryState state={row.state} />,
      narrow: 'aside',
    },
    {
      id: 'time',
      title: t('webhooks.deliveries.time'),
      width: beside ? '124px' : '136px',
      cell: (row) => <TimeAgo at={row.created_at} />,
      narrow: 'end',
    },
    {
      id: 'event',
      title: t('webhooks.deliveries.event'),
      width: beside ? '152px' : '176px',
      cell: ({ event }) => <span title={event}>{t(`webhooks.event.${event}`)}</span>,
      narrow: 'title',
    },
    ...(roomy && endpoints.length > 1 ? [endpoint] : []),
    {
      id: 'answer',
      title: t('webhooks.deliveries.answer'),
      width: 'minmax(0, 1fr)',
      cell: (row) => <LastAnswer delivery={row} isTried={endpointOf(row.webhook_id)?.enabled === true} />,
      narrow: 'below',
    },
    {
      id: 'attempts',
      title: t('webhooks.deliveries.attempts'),
      width: '72px',
      cell: (row) => row.attempts.length,
      align: 'end',
    },
  ]
}

interface LastAnswerProps {
  delivery: Delivery
  /** True if the endpoint is on. */
  isTried: boolean
}

function LastAnswer({ delivery: { attempts, next_at, state }, isTried }: LastAnswerProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const errorText = useCallbackError()
  const last = attempts.at(-1)
  if (last === undefined) return <>{t('words.none')}</>
  return (
    <Text component="span" size="sm">
      {last.status ?? errorText({ error: last.error, code: last.error_code, status: last.status })}
      {isTried && state === 'pending' && next_at !== null ? (
        <>
          {' · '}
          <time dateTime={next_at} title={format.exact(next_at)}>
            {t('webhooks.deliveries.nextTry', { when: format.until(next_at, Date.now()) })}
          </time>
        </>
      ) : null}
    </Text>
  )
}
