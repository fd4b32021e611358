import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { MessageRow } from '../../../server/contract/messages.ts'
import type { Template } from '../../api/templates.ts'
import { fill, lookOf, valuesOf } from '../../model/template-text.ts'
import { StatusTick } from '../status-tick.tsx'
import { ChatText } from './chat-text.tsx'
import { Media } from './media.tsx'
import classes from './phone.module.css'
import { TemplateBody } from './template-body.tsx'

interface BubbleProps {
  message: MessageRow
  templates: Template[]
}

const NOT_THERE = ['queued', 'accepted', 'sending', 'failed', 'cancelled']

/** One message on the phone; pale until it has arrived. */
export function Bubble({ message, templates }: BubbleProps) {
  const { t, i18n } = useTranslation()
  const time = new Date(message.created_at).toLocaleTimeString(i18n.language, { hour: '2-digit', minute: '2-digit' })
  return (
    <article className={classes.bubble} data-missing={NOT_THERE.includes(message.status) || undefined}>
      {message.file === null ? null : <Media address={message.file} />}
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
        <StatusTick status={message.status} iconOnly />
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
  const body = valuesOf(sent.components, 'body')
  if (known === undefined) {
    return (
      <div className={classes.text}>
        <strong>{sent.name}</strong> {Object.values(body).join(', ')}
      </div>
    )
  }
  const look = lookOf(known)
  const header = look.header === null ? null : fill(look.header, valuesOf(sent.components, 'header'))
  return <TemplateBody look={{ ...look, header, body: fill(look.body, body) }} />
}
