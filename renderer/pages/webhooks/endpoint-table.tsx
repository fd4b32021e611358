import { Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { useSearch } from 'wouter'
import { DEFAULT_EVENTS, type WebhookView } from '../../../server/contract/webhooks.ts'
import type { Column } from '../../components/table/column.ts'
import { LinkTable } from '../../components/table/link-table.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { useCallbackError } from '../../hooks/use-callback-error.ts'
import { useEndpointHealth } from '../../hooks/use-endpoint-health.ts'
import { useFormat } from '../../hooks/use-format.ts'
import { withChange } from '../../hooks/use-url-state.ts'
import { needsRecovery, shortUrl } from '../../model/endpoint-health.ts'
import { EndpointState } from './endpoint-state.tsx'
import { RecoverEndpoint } from './recover-endpoint.tsx'

interface EndpointTableProps {
  endpoints: WebhookView[]
  openId: string | undefined
}

export function EndpointTable({ endpoints, openId }: EndpointTableProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const search = useSearch()
  const roomy = useMediaQuery('(width >= 80em)', undefined, { getInitialValueInEffect: false })
  const lastDelivered: Column<WebhookView> = {
    id: 'last',
    title: t('webhooks.lastDelivered'),
    width: '136px',
    cell: ({ last_delivered_at }) => <TimeAgo at={last_delivered_at} />,
  }
  const action: Column<WebhookView> = {
    id: 'action',
    title: t('words.action'),
    untitled: true,
    width: endpoints.some(({ enabled, dead }) => enabled && dead > 0) ? '216px' : '136px',
    cell: (endpoint) => <RecoverEndpoint endpoint={endpoint} />,
    align: 'end',
    narrow: 'action',
  }
  const columns: Column<WebhookView>[] = [
    {
      id: 'endpoint',
      title: t('webhooks.endpoint'),
      width: 'minmax(0, 2fr)',
      cell: (endpoint) => <Address endpoint={endpoint} />,
      narrow: 'title',
    },
    {
      id: 'state',
      title: t('webhooks.state'),
      width: roomy ? 'minmax(0, 1.4fr)' : 'minmax(0, 1.1fr)',
      cell: (endpoint) => <State endpoint={endpoint} />,
      narrow: 'below',
    },
    {
      id: 'waiting',
      title: t('webhooks.waiting'),
      width: '72px',
      cell: ({ pending }) => format.number(pending),
      align: 'end',
      narrow: 'aside',
      labelled: true,
    },
    {
      id: 'dead',
      title: t('webhooks.dead'),
      width: roomy ? '104px' : '88px',
      cell: ({ dead }) =>
        dead === 0 ? (
          format.number(dead)
        ) : (
          <Text component="span" size="sm" fw={600} c="var(--status-bad)">
            {format.number(dead)}
          </Text>
        ),
      align: 'end',
    },
    ...(roomy ? [lastDelivered] : []),
    // If no endpoint needs a button, the addresses get its room.
    ...(endpoints.some(needsRecovery) ? [action] : []),
  ]
  return (
    <LinkTable
      label={t('webhooks.endpoints')}
      columns={columns}
      rows={endpoints}
      idOf={({ id }) => id}
      hrefOf={({ id }) => `?${withChange(new URLSearchParams(search), { open: id, delivery: undefined })}`}
      openId={openId}
    />
  )
}

function Address({ endpoint }: { endpoint: WebhookView }) {
  return (
    <>
      <Text component="span" fw={600} display="block" truncate title={endpoint.url}>
        {shortUrl(endpoint.url)}
      </Text>
      <Text component="span" size="xs" c="dimmed" display="block" truncate>
        <Reach endpoint={endpoint} />
      </Text>
    </>
  )
}

/** Events and senders in short. `webhook.test` is not counted, because all endpoints get it. */
function Reach({ endpoint: { events, sender_codes } }: { endpoint: WebhookView }) {
  const { t } = useTranslation()
  const count = events.filter((event) => event !== 'webhook.test').length
  const all = DEFAULT_EVENTS.every((event) => event === 'webhook.test' || events.includes(event))
  return (
    <>
      {all ? t('webhooks.allEvents') : t('webhooks.someEvents', { count })} ·{' '}
      {sender_codes === null ? t('webhooks.allSenders') : t('webhooks.someSenders', { count: sender_codes.length })}
    </>
  )
}

function State({ endpoint }: { endpoint: WebhookView }) {
  const healthOf = useEndpointHealth()
  const error = useCallbackError()({
    error: endpoint.last_error,
    code: endpoint.last_error_code,
    status: endpoint.last_error_status,
  })
  return (
    <>
      <EndpointState health={healthOf(endpoint)} />
      {error === null ? null : (
        <Text component="span" size="xs" c="dimmed" display="block" truncate title={error}>
          {error}
        </Text>
      )}
    </>
  )
}
