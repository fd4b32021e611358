import { Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconPaperclip } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { ChannelName, MessageRow } from '../../../server/contract/messages.ts'
import { PhoneNumber } from '../phone-number.tsx'
import { SenderBadge } from '../sender-badge.tsx'
import { StatusTick } from '../status-tick.tsx'
import { TimeAgo } from '../time-ago.tsx'
import type { Column } from '../virtual-table.tsx'

export function useLogColumns(channel: ChannelName): Column<MessageRow>[] {
  const { t } = useTranslation()
  const narrow = useMediaQuery('(max-width: 1180px)')
  const columns: Column<MessageRow>[] = [
    { id: 'status', title: t('messages.status'), width: '112px', cell: (row) => <StatusTick status={row.status} /> },
    { id: 'time', title: t('messages.time'), width: '96px', cell: (row) => <TimeAgo at={row.created_at} /> },
    { id: 'to', title: t('messages.to'), width: '168px', cell: (row) => <PhoneNumber digits={row.recipient} /> },
    channel === 'template'
      ? { id: 'template', title: t('messages.template'), width: 'minmax(0, 1fr)', cell: templateCell }
      : { id: 'text', title: t('messages.text'), width: 'minmax(0, 1fr)', cell: textCell },
    {
      id: 'reference',
      title: t('messages.reference'),
      width: '128px',
      cell: (row) => row.reference_id ?? t('words.none'),
    },
    {
      id: 'sender',
      title: t('messages.sender'),
      width: '144px',
      cell: (row) => <SenderBadge code={row.sender_code} />,
    },
  ]
  return narrow ? columns.filter(({ id }) => id !== 'reference') : columns
}

const textCell = (row: MessageRow) => (
  <>
    {row.file === null ? null : <IconPaperclip size={16} style={{ verticalAlign: -3, marginRight: 4 }} />}
    {row.message?.split('\n', 1)[0]}
  </>
)

const templateCell = (row: MessageRow) => (
  <>
    {row.template?.name}{' '}
    <Text component="span" size="xs" c="dimmed">
      {row.template?.language}
    </Text>
  </>
)
