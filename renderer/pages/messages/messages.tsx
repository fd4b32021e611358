import { Button } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { MessageLog } from '../../components/message-log/message-log.tsx'

/** The log of the standard route. */
export default function Messages() {
  const { t } = useTranslation()
  return (
    <MessageLog
      scope={{ channel: 'standard' }}
      title={t('messages.title')}
      action={
        <Button component={Link} href="/try-it" leftSection={<IconPencil size={16} />}>
          {t('messages.write')}
        </Button>
      }
    />
  )
}
