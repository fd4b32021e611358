import { Alert } from '@mantine/core'
import { IconAlertCircle, IconCircleCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { CallbackError, Delivery } from '../../../server/contract/webhooks.ts'
import { AttemptAnswer } from '../../components/delivery-detail.tsx'
import { useCallbackError } from '../../hooks/use-callback-error.ts'

const isGood = (status: number | null): boolean => status !== null && status >= 200 && status < 300

/** Errors that do not mean that the program is not running or has another address. */
const NOT_SILENT: readonly CallbackError[] = [
  'certificate',
  'certificate_expired',
  'certificate_not_yet_valid',
  'certificate_of_other_name',
  'no_tls',
  'address_not_allowed',
  'format_unknown',
  'not_in_format',
  'challenge_failed',
]

/** The result of a test, as a sentence, and the receiver's answer. */
export function TestAnswer({ attempt }: { attempt: Delivery['attempts'][number] }) {
  const { t } = useTranslation()
  const why = useCallbackError()({ error: attempt.error, code: attempt.error_code, status: attempt.status })
  const { status, error_code } = attempt
  const good = isGood(status)
  const none = error_code !== null && NOT_SILENT.includes(error_code) ? 'failed' : 'none'
  const text = good ? 'good' : status === null ? none : refusalOf(status)
  const Icon = good ? IconCircleCheck : IconAlertCircle
  return (
    <div>
      <Alert role="status" color={good ? 'teal' : 'red'} icon={<Icon size={20} />} mb="sm">
        {t(`webhooks.testResult.${text}`, { status, why })}
      </Alert>
      <AttemptAnswer attempt={attempt} />
    </div>
  )
}

/** Receivers answer 401 if the signature is wrong. */
const refusalOf = (status: number) => (status === 401 ? 'unsigned' : 'bad')
