import { Alert, Button } from '@mantine/core'
import { IconMessageOff, IconPencil } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { formatPhone } from '../../../server/contract/phone.ts'
import type { CustomerView } from '../../../server/contract/summary.ts'
import { useCustomer } from '../../api/customers.ts'
import { useSuppressions } from '../../api/suppressions.ts'
import { MessageLog } from '../../components/message-log/message-log.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { useFormat } from '../../hooks/use-format.ts'
import { useFromSender } from '../../hooks/use-from-sender.ts'

/** All messages to one number, by all senders. */
export default function Customer({ phone }: { phone: string }) {
  return <QueryView query={useCustomer(phone)}>{(customer) => <Log customer={customer} />}</QueryView>
}

function Log({ customer }: { customer: CustomerView }) {
  const { t } = useTranslation()
  const { phone } = customer
  return (
    <MessageLog
      scope={{ recipient: phone }}
      title={formatPhone(phone)}
      lead={<Lead customer={customer} />}
      action={
        <Button component={Link} href={`/write?phone=${phone}`} leftSection={<IconPencil size={16} />}>
          {t('messages.write')}
        </Button>
      }
    >
      <OptOut phone={phone} />
    </MessageLog>
  )
}

/** Says that this customer has opted out. Shows nothing otherwise. */
function OptOut({ phone }: { phone: string }) {
  const { t } = useTranslation()
  const format = useFormat()
  const fromSender = useFromSender()
  const rows = useSuppressions(phone).data?.pages[0]?.data ?? []
  if (rows.length === 0) return null
  const strictest = rows.some(({ scope }) => scope === 'all') ? 'all' : 'marketing'
  return (
    <Alert color="yellow" mb="md" icon={<IconMessageOff size={20} />} title={t(`optOuts.says.${strictest}`)}>
      {rows.map(({ scope, source, sender_code, at }) => (
        <div key={sender_code}>
          {[
            ...(rows.length > 1 ? [t(`optOuts.scopes.${scope}`)] : []),
            ...fromSender(sender_code),
            t(`optOuts.sources.${source}`),
            format.exact(at),
          ].join(' · ')}
        </div>
      ))}
      <Link href="/opt-outs">{t('optOuts.title')}</Link>
    </Alert>
  )
}

/** All messages in one line: their number, the last one, and how many failed or wait. */
function Lead({ customer: { total, counts, first_at, last_at } }: { customer: CustomerView }) {
  const { t } = useTranslation()
  const format = useFormat()
  if (last_at === null || first_at === null) return <>{t('customers.nothing')}</>
  const parts = [
    t('customers.total', { count: total, since: format.date(first_at) }),
    t('customers.last', { when: format.exact(last_at) }),
    ...((counts.failed ?? 0) > 0 ? [t('customers.failed', { count: counts.failed })] : []),
    ...((counts.queued ?? 0) > 0 ? [t('customers.waiting', { count: counts.queued })] : []),
  ]
  return <>{parts.join(' · ')}</>
}
