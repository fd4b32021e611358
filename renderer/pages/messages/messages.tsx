import { Button } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { MessageLog } from '../../components/message-log/message-log.tsx'
import { useUrlState } from '../../hooks/use-url-state.ts'

/** The log of the standard route; of both where the address says so, as the figures of Home do. */
export default function Messages() {
  const { t } = useTranslation()
  const [get] = useUrlState()
  return (
    <MessageLog
      scope={get('routes') === 'all' ? {} : { channel: 'standard' }}
      title={t('messages.title')}
      action={
        <Button component={Link} href="/write" leftSection={<IconPencil size={16} />}>
          {t('messages.write')}
        </Button>
      }
    />
  )
}
