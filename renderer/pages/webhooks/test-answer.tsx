import { Alert } from '@mantine/core'
import { IconAlertCircle, IconCircleCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { Delivery } from '../../../server/contract/webhooks.ts'
import { AttemptAnswer } from '../../components/delivery-detail.tsx'

/** True if a receiver's status says that it took a callback. */
const isGood = (status: number | null): boolean => status !== null && status >= 200 && status < 300

/** The result of a test, in a sentence and as it was answered. */
export function TestAnswer({ attempt }: { attempt: Delivery['attempts'][number] }) {
  const { t } = useTranslation()
  const { status } = attempt
  const good = isGood(status)
  const text = good ? 'good' : status === null ? 'none' : refusalOf(status)
  const Icon = good ? IconCircleCheck : IconAlertCircle
  return (
    <div>
      <Alert role="status" color={good ? 'teal' : 'red'} icon={<Icon size={20} />} mb="sm">
        {t(`webhooks.testResult.${text}`, { status })}
      </Alert>
      <AttemptAnswer attempt={attempt} />
    </div>
  )
}

/** A receiver says 401 where the signature is wrong. */
const refusalOf = (status: number) => (status === 401 ? 'unsigned' : 'bad')
