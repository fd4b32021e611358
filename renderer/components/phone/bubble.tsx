import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { MessageRow } from '../../../server/contract/messages.ts'
import type { Template } from '../../api/templates.ts'
import { useFormat } from '../../hooks/use-format.ts'
import { sentLook, valuesOf } from '../../model/template-text.ts'
import { MessageStatus } from '../message-status.tsx'
import { ChatText } from './chat-text.tsx'
import { Media } from './media.tsx'
import classes from './phone.module.css'
import { TemplateBody } from './template-body.tsx'

interface BubbleProps {
  message: MessageRow
  templates: Template[]
}

const NOT_THERE = ['queued', 'accepted', 'sending', 'failed', 'cancelled']

/** One message on the phone. It is pale until it was sent. */
export function Bubble({ message, templates }: BubbleProps) {
  const { t } = useTranslation()
  const time = useFormat().clock(message.created_at)
  return (
    <article className={classes.bubble} data-missing={NOT_THERE.includes(message.status) || undefined}>
      {message.file === null ? null : <Media address={message.file} named={message.filename} />}
      {message.template === null ? (
        <ChatText text={message.message ?? ''} />
      ) : (
        <TemplateContent sent={message.template} templates={templates} />
      )}
      {message.error === null ? null : (
        <Text size="xs" c="var(--status-bad)">
          {t(`failures.${message.error.code}.message`)}
        </Text>
      )}
      <div className={classes.meta}>
        {time}
        <MessageStatus status={message.status} iconOnly />
      </div>
    </article>
  )
}

interface TemplateContentProps {
  sent: NonNullable<MessageRow['template']>
  templates: Template[]
}

function TemplateContent({ sent, templates }: TemplateContentProps) {
  const known = templates.find(({ name, language }) => name === sent.name && language === sent.language)
  if (known !== undefined) return <TemplateBody look={sentLook(known, sent.components)} />
  return (
    <div className={classes.text}>
      <strong>{sent.name}</strong> {Object.values(valuesOf(sent.components, 'body')).join(', ')}
    </div>
  )
}
