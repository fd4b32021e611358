import { Button } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { MessageLog } from '../../components/message-log/message-log.tsx'

/** The log of all messages. */
export default function Messages() {
  const { t } = useTranslation()
  return (
    <MessageLog
      scope={{}}
      tabs
      title={t('messages.title')}
      action={
        <Button component={Link} href="/write" leftSection={<IconPencil size={16} />}>
          {t('messages.write')}
        </Button>
      }
    />
  )
}
