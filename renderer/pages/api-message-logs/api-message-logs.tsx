import { Button } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { MessageLog } from '../../components/message-log/message-log.tsx'

/** The log of messages through official senders. Its name is fixed: it is part of the interface. */
export default function ApiMessageLogs() {
  const { t } = useTranslation()
  return (
    <MessageLog
      scope={{ channel: 'template' }}
      tabs
      title={t('messages.logsTitle')}
      lead={t('messages.logsLead')}
      action={
        <Button component={Link} href="/write?kind=template" leftSection={<IconPencil size={16} />}>
          {t('messages.write')}
        </Button>
      }
    />
  )
}
