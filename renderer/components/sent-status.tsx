import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useMessage } from '../api/messages.ts'
import { useMessageHeldText } from '../hooks/use-held-text.ts'
import { MessageStatus } from './message-status.tsx'

interface SentStatusProps {
  id: string
  /** Shown after the status, such as a link to the log. */
  children?: ReactNode
}

/** The present status of a message, with the reason if it waits or has failed. */
export function SentStatus({ id, children }: SentStatusProps) {
  const { t } = useTranslation()
  const heldText = useMessageHeldText()
  const message = useMessage(id).data
  if (message === undefined) return <>{children}</>
  const why = message.error === null ? heldText(message) : t(`failures.${message.error.code}.message`)
  return (
    <Group gap="4px 8px" component="span">
      <MessageStatus status={message.status} />
      {why === null ? null : <span>{why}</span>}
      {children}
    </Group>
  )
}
