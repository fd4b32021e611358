import { Table, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { SenderView } from '../../../server/contract/senders.ts'
import { MendButton } from '../../components/mend-button.tsx'
import { PhoneNumber } from '../../components/phone-number.tsx'
import { KindIcon } from '../../components/sender-badge.tsx'
import { SenderState } from '../../components/sender-state.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import classes from './senders.module.css'

interface SenderTableProps {
  senders: SenderView[]
  open: string | undefined
}

export function SenderTable({ senders, open }: SenderTableProps) {
  const { t } = useTranslation()
  return (
    <Table verticalSpacing="sm" horizontalSpacing="md" aria-label={t('senders.title')}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('senders.name')}</Table.Th>
          <Table.Th>{t('senders.state')}</Table.Th>
          <Table.Th ta="right">{t('senders.waiting')}</Table.Th>
          <Table.Th ta="right">{t('senders.sentToday')}</Table.Th>
          <Table.Th className={classes.wide ?? ''}>{t('senders.lastSent')}</Table.Th>
          <Table.Td />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {senders.map((sender) => (
          <SenderRow key={sender.sender_code} sender={sender} open={sender.sender_code === open} />
        ))}
      </Table.Tbody>
    </Table>
  )
}

function SenderRow({ sender, open }: { sender: SenderView; open: boolean }) {
  const { t } = useTranslation()
  const { sender_code, name, kind, state, phone, waiting, sent_today, daily_cap, last_sent_at } = sender
  return (
    <Table.Tr className={classes.row ?? ''} data-open={open || undefined}>
      <Table.Td>
        <Link href={`/senders?open=${sender_code}`} className={classes.name ?? ''}>
          <KindIcon kind={kind} />
          <span>
            <Text component="span" fw={600} display="block">
              {name}
            </Text>
            <Text component="span" size="xs" c="dimmed" display="block">
              {phone === null ? sender_code : <PhoneNumber digits={phone} />}
            </Text>
          </span>
        </Link>
      </Table.Td>
      <Table.Td>
        <SenderState state={state} />
      </Table.Td>
      <Table.Td ta="right">{waiting}</Table.Td>
      <Table.Td ta="right">
        {daily_cap === null ? sent_today : t('senders.ofCap', { count: sent_today, cap: daily_cap })}
      </Table.Td>
      <Table.Td className={classes.wide ?? ''}>
        <TimeAgo at={last_sent_at} />
      </Table.Td>
      <Table.Td ta="right" className={classes.hand ?? ''}>
        <MendButton sender={sender} />
      </Table.Td>
    </Table.Tr>
  )
}
