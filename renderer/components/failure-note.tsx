import { Alert, Text } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { Failure } from '../../server/contract/failures.ts'
import { failures } from '../../server/words/en/messages.ts'

/** Says why a message failed and what to do, with the code in small type. */
export function FailureNote({ failure }: { failure: Failure }) {
  const { t, i18n } = useTranslation()
  const { code, provider_code, hint_code } = failure
  const general = {
    message: t(`failures.${code}.message`),
    hint: hint_code === undefined ? t(`failures.${code}.hint`) : t(`providerHints.${hint_code}`),
  }
  const { message, hint } = failures[code]
  // A more exact cause, such as Meta's own explanation, comes in English.
  const exact = [
    failure.message === message ? '' : failure.message,
    // A hint with a code is translated.
    failure.hint === hint || hint_code !== undefined ? '' : failure.hint,
  ]
  const english = i18n.language === 'en'
  const shown = english ? failure : general
  return (
    <Alert color="red" icon={<IconAlertCircle size={20} />} title={shown.message}>
      <Text size="sm">{shown.hint}</Text>
      {english || exact.join('') === '' ? null : (
        <Text size="xs" c="dimmed" lang="en">
          {exact.join(' ').trim()}
        </Text>
      )}
      <Text size="xs" c="dimmed" ff="monospace">
        {provider_code === undefined ? code : `${code} · ${provider_code}`}
      </Text>
    </Alert>
  )
}
