import { Paper, Table, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Link, useSearch } from 'wouter'
import { EVENTS, type WebhookView } from '../../../server/contract/webhooks.ts'
import { TimeAgo } from '../../components/time-ago.tsx'
import { useCallbackError } from '../../hooks/use-callback-error.ts'
import { withChange } from '../../hooks/use-url-state.ts'
import { EndpointMend } from './endpoint-mend.tsx'
import { EndpointState } from './endpoint-state.tsx'
import classes from './webhooks.module.css'

interface EndpointTableProps {
  endpoints: WebhookView[]
  open: string | undefined
}

export function EndpointTable({ endpoints, open }: EndpointTableProps) {
  const { t } = useTranslation()
  return (
    <Paper withBorder>
      <Table verticalSpacing="sm" horizontalSpacing="md" aria-label={t('webhooks.receivers')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('webhooks.receiver')}</Table.Th>
            <Table.Th>{t('webhooks.state')}</Table.Th>
            <Table.Th ta="right">{t('webhooks.waiting')}</Table.Th>
            <Table.Th ta="right">{t('webhooks.dead')}</Table.Th>
            <Table.Th className={classes.roomy ?? ''}>{t('webhooks.lastDelivered')}</Table.Th>
            <Table.Td />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {endpoints.map((endpoint) => (
            <EndpointRow key={endpoint.id} endpoint={endpoint} open={endpoint.id === open} />
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  )
}

function EndpointRow({ endpoint, open }: { endpoint: WebhookView; open: boolean }) {
  const search = useSearch()
  const errorWords = useCallbackError()
  const { id, url, pending, dead, last_delivered_at, last_error } = endpoint
  const href = `?${withChange(new URLSearchParams(search), { open: id, delivery: undefined })}`
  return (
    <Table.Tr className={classes.row ?? ''} data-open={open || undefined}>
      <Table.Td className={classes.receiver ?? ''}>
        <Link href={href} className={classes.url ?? ''} title={url}>
          {url.replace(/^https?:\/\//, '')}
        </Link>
        <Text size="xs" c="dimmed" truncate>
          <Hears endpoint={endpoint} />
        </Text>
      </Table.Td>
      <Table.Td>
        <EndpointState endpoint={endpoint} />
        {last_error === null ? null : (
          <Text size="xs" c="dimmed" maw={200} truncate title={errorWords(last_error)}>
            {errorWords(last_error)}
          </Text>
        )}
      </Table.Td>
      <Table.Td ta="right">{pending}</Table.Td>
      <Table.Td ta="right" data-bad={dead > 0 || undefined}>
        {dead}
      </Table.Td>
      <Table.Td className={classes.roomy ?? ''}>
        <TimeAgo at={last_delivered_at} />
      </Table.Td>
      <Table.Td ta="right" className={classes.hand ?? ''}>
        <EndpointMend endpoint={endpoint} />
      </Table.Td>
    </Table.Tr>
  )
}

/** Events and senders in a few words; the test call reaches every receiver and is not counted. */
function Hears({ endpoint: { events, sender_codes } }: { endpoint: WebhookView }) {
  const { t } = useTranslation()
  const count = events.filter((event) => event !== 'webhook.test').length
  const all = count === EVENTS.length - 1
  return (
    <>
      {all ? t('webhooks.allEvents') : t('webhooks.someEvents', { count })} ·{' '}
      {sender_codes === null ? t('webhooks.allSenders') : t('webhooks.someSenders', { count: sender_codes.length })}
    </>
  )
}
