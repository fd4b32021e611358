import { Alert, Text } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { FAILURES, type Failure } from '../../server/contract/failures.ts'

/** Why a message failed: what happened, what to do, and the code in small type. */
export function FailureNote({ failure }: { failure: Failure }) {
  const { t, i18n } = useTranslation()
  const { code, provider_code, hint_code } = failure
  const translated = {
    message: t(`failures.${code}.message`),
    hint: hint_code === undefined ? t(`failures.${code}.hint`) : t(`providerHints.${hint_code}`),
  }
  // What the server and Meta know exactly is English; in another language it follows in small type.
  const english = i18n.language === 'en'
  const { message, hint } = english ? failure : translated
  const saysMore = !english && failure.message !== FAILURES[code][0]
  return (
    <Alert color="red" icon={<IconAlertCircle size={20} />} title={message}>
      <Text size="sm">{hint}</Text>
      {saysMore ? (
        <Text size="xs" c="dimmed" lang="en">
          {failure.message}
        </Text>
      ) : null}
      <Text size="xs" c="dimmed" ff="monospace">
        {provider_code === undefined ? code : `${code} · ${provider_code}`}
      </Text>
    </Alert>
  )
}
