import { Code, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { KeyView } from '../../../server/contract/access.ts'
import { SenderBadge } from '../../components/sender-badge.tsx'
import type { Column } from '../../components/table/column.ts'
import { LinkTable } from '../../components/table/link-table.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { KeyValidity } from './key-validity.tsx'

interface KeyTableProps {
  keys: KeyView[]
  openId: string | undefined
  isEnded: (key: KeyView) => boolean
}

export function KeyTable({ keys, openId, isEnded }: KeyTableProps) {
  const { t } = useTranslation()
  const columns: Column<KeyView>[] = [
    {
      id: 'name',
      title: t('keys.name'),
      width: 'minmax(0, 1.4fr)',
      cell: ({ name }) => (
        <Text component="span" size="sm" fw={600} title={name}>
          {name}
        </Text>
      ),
      narrow: 'title',
    },
    {
      id: 'reach',
      title: t('keys.reach'),
      width: 'minmax(0, 1.2fr)',
      cell: (key) => <KeyReach apiKey={key} />,
      narrow: 'below',
    },
    {
      id: 'hint',
      title: t('keys.hint'),
      width: '88px',
      cell: ({ hint }) => <Code>…{hint}</Code>,
      narrow: 'end',
    },
    {
      id: 'used',
      title: t('keys.lastUsed'),
      width: 'minmax(0, 1fr)',
      cell: ({ last_used_at }) => <TimeAgo at={last_used_at} />,
    },
    {
      id: 'validity',
      title: t('keys.validity'),
      width: 'minmax(184px, 1.2fr)',
      cell: (key) => <KeyValidity apiKey={key} />,
      narrow: 'aside',
    },
  ]
  return (
    <LinkTable
      label={t('keys.title')}
      columns={columns}
      rows={keys}
      idOf={({ id }) => id}
      hrefOf={({ id }) => `/keys?open=${id}`}
      openId={openId}
      isEnded={isEnded}
    />
  )
}

export function KeyReach({ apiKey: { sender_code } }: { apiKey: KeyView }) {
  const { t } = useTranslation()
  return sender_code === null ? t('keys.everySender') : <SenderBadge code={sender_code} />
}
