import { Code } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { MessageDetail } from '../../../server/contract/messages.ts'
import { useFormat } from '../../hooks/use-format.ts'
import { leftLateAt } from '../../model/timeline.ts'
import { Facts } from '../facts.tsx'
import { JsonBlock } from '../json-block.tsx'
import { SenderBadge } from '../sender-badge.tsx'

export function MessageFacts({ message }: { message: MessageDetail }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { id, sender_code, reference_id, provider_message_id, created_at, due_at, pricing_category, metadata } = message
  const unknown = message.unknown_members
  const { priority, purpose, expires_at, status, group, receipts } = message
  const lateAt = leftLateAt(message)
  const delayed = due_at !== created_at
  return (
    <>
      <Facts
        facts={[
          [t('messages.sender'), <SenderBadge key="sender" code={sender_code} />],
          [t('messages.group'), group && <Code key="group">{group}</Code>],
          [t('messages.receipts'), receipts && t('messages.receiptsOf', { ...receipts })],
          [t('messages.reference'), reference_id],
          [t('messages.created'), format.exact(created_at)],
          [t('messages.due'), delayed ? format.exact(due_at) : null],
          [t('messages.leftLate'), lateAt && format.exact(lateAt)],
          [t('messages.priority'), priority === 'normal' ? null : t(`messages.priorities.${priority}`)],
          [t('messages.purpose'), purpose === 'marketing' ? t('messages.marketing') : null],
          [t('messages.expires'), status === 'queued' ? format.exact(expires_at) : null],
          [t('messages.category'), pricing_category],
          [t('messages.unknownMembers'), unknown.length === 0 ? null : <Code key="unknown">{unknown.join(', ')}</Code>],
          [t('messages.id'), <Code key="id">{id}</Code>],
          [t('messages.providerId'), provider_message_id === null ? null : <Code key="wa">{provider_message_id}</Code>],
        ]}
      />
      {Object.keys(metadata).length === 0 ? null : <JsonBlock label={t('messages.metadata')} value={metadata} />}
    </>
  )
}
