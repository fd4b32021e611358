import { Anchor, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { MessageDetail } from '../../../server/contract/messages.ts'
import { JsonBlock } from '../json-block.tsx'
import classes from './message-log.module.css'

/** What was to be said: text and file, or the template with what filled it. */
export function MessageContent({ message: { message, file, template } }: { message: MessageDetail }) {
  const { t } = useTranslation()
  if (template !== null) {
    return (
      <div>
        <Text fw={600}>
          {template.name}{' '}
          <Text component="span" size="xs" c="dimmed">
            {template.language}
          </Text>
        </Text>
        {template.components.length === 0 ? null : (
          <JsonBlock label={t('messages.variables')} value={template.components} />
        )}
      </div>
    )
  }
  return (
    <div className={classes.bubble}>
      {file === null ? null : (
        <Anchor href={file} target="_blank" rel="noreferrer" display="block" size="sm">
          {file}
        </Anchor>
      )}
      {message}
    </div>
  )
}
