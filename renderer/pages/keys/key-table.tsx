import { Code, Table } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { KeyView } from '../../../server/contract/keys.ts'
import { SenderBadge } from '../../components/sender-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { useNow } from '../../hooks/use-now.ts'
import { keyState, workingFirst } from '../../model/key-state.ts'
import { KeyValidity } from './key-validity.tsx'
import classes from './keys.module.css'

interface KeyTableProps {
  keys: KeyView[]
  open: string | undefined
}

export function KeyTable({ keys, open }: KeyTableProps) {
  const { t } = useTranslation()
  const now = useNow(10_000)
  return (
    <Table verticalSpacing="sm" horizontalSpacing="md" aria-label={t('keys.title')}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('keys.name')}</Table.Th>
          <Table.Th>{t('keys.reach')}</Table.Th>
          <Table.Th>{t('keys.hint')}</Table.Th>
          <Table.Th>{t('keys.lastUsed')}</Table.Th>
          <Table.Th>{t('keys.valid')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {workingFirst(keys, now).map((key) => (
          <Table.Tr
            key={key.id}
            className={classes.row ?? ''}
            data-open={key.id === open || undefined}
            data-ended={keyState(key, now) !== 'valid' || undefined}
          >
            <Table.Td>
              <Link href={`/keys?open=${key.id}`} className={classes.name ?? ''}>
                {key.name}
              </Link>
            </Table.Td>
            <Table.Td>
              <KeyReach apiKey={key} />
            </Table.Td>
            <Table.Td>
              <Code>…{key.hint}</Code>
            </Table.Td>
            <Table.Td>
              <TimeAgo at={key.last_used_at} />
            </Table.Td>
            <Table.Td>
              <KeyValidity apiKey={key} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

export function KeyReach({ apiKey: { sender_code } }: { apiKey: KeyView }) {
  const { t } = useTranslation()
  return sender_code === null ? t('keys.everySender') : <SenderBadge code={sender_code} />
}
