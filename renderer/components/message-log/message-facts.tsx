import { Code } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { MessageDetail } from '../../../server/contract/messages.ts'
import { exactTime } from '../../model/time.ts'
import { Facts } from '../facts.tsx'
import { JsonBlock } from '../json-block.tsx'
import { SenderBadge } from '../sender-badge.tsx'

export function MessageFacts({ message }: { message: MessageDetail }) {
  const { t, i18n } = useTranslation()
  const { id, sender_code, reference_id, provider_message_id, created_at, due_at, pricing_category, metadata } = message
  const delayed = due_at !== created_at
  return (
    <>
      <Facts
        facts={[
          [t('messages.sender'), <SenderBadge key="sender" code={sender_code} />],
          [t('messages.reference'), reference_id],
          [t('messages.created'), exactTime(created_at, i18n.language)],
          [t('messages.due'), delayed ? exactTime(due_at, i18n.language) : null],
          [t('messages.category'), pricing_category],
          [t('messages.id'), <Code key="id">{id}</Code>],
          [t('messages.providerId'), provider_message_id === null ? null : <Code key="wa">{provider_message_id}</Code>],
        ]}
      />
      {Object.keys(metadata).length === 0 ? null : <JsonBlock label={t('messages.metadata')} value={metadata} />}
    </>
  )
}
