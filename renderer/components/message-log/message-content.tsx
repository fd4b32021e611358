import { Anchor, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { MessageDetail } from '../../../server/contract/messages.ts'
import { uploadedFileId } from '../../../server/contract/send.ts'
import { useSender } from '../../api/senders.ts'
import { useTemplates } from '../../api/templates.ts'
import { sentLook } from '../../model/template-text.ts'
import { JsonBlock } from '../json-block.tsx'
import { TemplateBody } from '../phone/template-body.tsx'
import classes from './message-log.module.css'

export const MessageContent = ({ message }: { message: MessageDetail }) =>
  message.template === null ? (
    <div className={classes.bubble}>
      {message.file === null ? null : <File address={message.file} name={message.filename} />}
      {message.message}
    </div>
  ) : (
    <TemplateContent code={message.sender_code} sent={message.template} />
  )

/** A link to the file. Uploaded files have no address, so only their name is shown. */
const File = ({ address, name }: { address: string; name: string | null }) =>
  uploadedFileId(address) === undefined ? (
    <Anchor href={address} target="_blank" rel="noreferrer" display="block" size="sm">
      {address}
    </Anchor>
  ) : (
    <Text size="sm">{name ?? address}</Text>
  )

interface TemplateContentProps {
  code: string
  sent: NonNullable<MessageDetail['template']>
}

/** A template as the customer sees it. If Kurir does not know it: its name and values. */
function TemplateContent({ code, sent: { name, language, components } }: TemplateContentProps) {
  const { t } = useTranslation()
  const official = useSender(code).data?.kind === 'official'
  const templates = useTemplates(code, official).data ?? []
  const template = templates.find((one) => one.name === name && one.language === language)
  return (
    <div>
      <Text fw={600}>
        {name}{' '}
        <Text component="span" size="xs" c="dimmed">
          {language}
        </Text>
      </Text>
      {template === undefined ? (
        components.length > 0 && <JsonBlock label={t('messages.variables')} value={components} />
      ) : (
        <div className={classes.bubble}>
          <TemplateBody look={sentLook(template, components)} />
        </div>
      )}
    </div>
  )
}
