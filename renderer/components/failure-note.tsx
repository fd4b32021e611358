import { Alert, Text } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { Failure } from '../../server/contract/failures.ts'

/** Why a message failed: what happened, what to do, and the code in small type. */
export function FailureNote({ failure }: { failure: Failure }) {
  const { t, i18n } = useTranslation()
  const { code, provider_code } = failure
  const plain = { message: t(`failures.${code}.message`), hint: t(`failures.${code}.hint`) }
  // The server may know more than the table, such as Meta's own words; those are English.
  const exact = i18n.language === 'en' ? failure : plain
  return (
    <Alert color="red" icon={<IconAlertCircle size={20} />} title={exact.message}>
      <Text size="sm">{exact.hint}</Text>
      <Text size="xs" c="dimmed" ff="monospace">
        {provider_code === undefined ? code : `${code} · ${provider_code}`}
      </Text>
    </Alert>
  )
}
