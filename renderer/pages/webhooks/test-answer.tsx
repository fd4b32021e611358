import { Alert } from '@mantine/core'
import { IconAlertCircle, IconCircleCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { Delivery } from '../../../server/contract/deliveries.ts'
import { AttemptAnswer } from '../../components/delivery-detail.tsx'

/** What a test call came to, in words and as it was answered. */
export function TestAnswer({ attempt }: { attempt: Delivery['attempts'][number] }) {
  const { t } = useTranslation()
  const { status } = attempt
  const good = status !== null && status >= 200 && status < 300
  const words = good ? 'testGood' : status === null ? 'testNone' : 'testBad'
  const Icon = good ? IconCircleCheck : IconAlertCircle
  return (
    <div>
      <Alert role="status" color={good ? 'teal' : 'red'} icon={<Icon size={20} />} mb="sm">
        {t(`webhooks.${words}`, { status })}
      </Alert>
      <AttemptAnswer attempt={attempt} />
    </div>
  )
}
