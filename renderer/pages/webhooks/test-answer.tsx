import { Alert, Stack } from '@mantine/core'
import { IconAlertCircle, IconCircleCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { Delivery } from '../../../server/contract/webhooks.ts'
import { AttemptAnswer } from '../../components/delivery-detail.tsx'

/** What a test call came to, in words and as it was answered. */
export function TestAnswer({ attempt }: { attempt: Delivery['attempts'][number] }) {
  const { t } = useTranslation()
  const { status } = attempt
  const good = status !== null && status >= 200 && status < 300
  const words = good ? 'testGood' : status === null ? 'testNone' : 'testBad'
  return (
    <Alert
      role="status"
      color={good ? 'teal' : 'red'}
      icon={good ? <IconCircleCheck size={20} /> : <IconAlertCircle size={20} />}
      title={t(`webhooks.${words}`, { status })}
    >
      <Stack gap="sm">
        <AttemptAnswer attempt={attempt} />
      </Stack>
    </Alert>
  )
}
