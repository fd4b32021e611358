import { Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import type { SenderView } from '../../../server/contract/senders.ts'
import { PhoneNumber } from '../../components/phone-number.tsx'
import { RecoverButton } from '../../components/recover-button.tsx'
import { KindIcon } from '../../components/sender-badge.tsx'
import { SenderState } from '../../components/sender-state.tsx'
import type { Column } from '../../components/table/column.ts'
import { LinkTable } from '../../components/table/link-table.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { useFormat } from '../../hooks/use-format.ts'
import classes from './senders.module.css'

interface SenderTableProps {
  senders: SenderView[]
  openId: string | undefined
}

export function SenderTable({ senders, openId }: SenderTableProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const roomy = useMediaQuery('(width >= 80em)', undefined, { getInitialValueInEffect: false })
  const sentToday: Column<SenderView> = {
    id: 'sent',
    title: t('senders.sentToday'),
    width: '120px',
    cell: ({ sent_today, daily_cap }) =>
      daily_cap === null ? format.number(sent_today) : t('senders.ofCap', { count: sent_today, cap: daily_cap }),
    align: 'end',
  }
  const lastSent: Column<SenderView> = {
    id: 'last',
    title: t('senders.lastSent'),
    width: '136px',
    cell: (sender) => <TimeAgo at={sender.last_sent_at} />,
  }
  const columns: Column<SenderView>[] = [
    {
      id: 'name',
      title: t('senders.name'),
      width: roomy ? 'minmax(0, 1.3fr)' : 'minmax(0, 1.1fr)',
      cell: (sender) => <Name sender={sender} />,
      narrow: 'title',
    },
    {
      id: 'state',
      title: t('senders.state'),
      width: 'minmax(0, 1fr)',
      cell: (sender) => <SenderState sender={sender} />,
      narrow: 'below',
    },
    {
      id: 'waiting',
      title: t('senders.waiting'),
      width: '72px',
      cell: (sender) => format.number(sender.waiting),
      align: 'end',
      narrow: 'aside',
      labelled: true,
    },
    ...(roomy ? [sentToday, lastSent] : []),
    {
      id: 'action',
      title: t('words.action'),
      untitled: true,
      width: roomy ? '168px' : '148px',
      cell: (sender) => <RecoverButton sender={sender} />,
      align: 'end',
      narrow: 'action',
    },
  ]
  return (
    <LinkTable
      label={t('senders.title')}
      columns={columns}
      rows={senders}
      idOf={({ sender_code }) => sender_code}
      hrefOf={({ sender_code }) => `/senders?open=${sender_code}`}
      openId={openId}
    />
  )
}

const Name = ({ sender: { sender_code, name, kind, phone } }: { sender: SenderView }) => (
  <span className={classes.name}>
    <KindIcon kind={kind} />
    <span>
      <Text component="span" fw={600} display="block" truncate title={name}>
        {name}
      </Text>
      <Text component="span" size="xs" c="dimmed" display="block">
        {phone === null ? sender_code : <PhoneNumber digits={phone} />}
      </Text>
    </span>
  </span>
)
