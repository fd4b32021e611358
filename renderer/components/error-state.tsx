import { Alert, Button, Group, List, Text } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../server/contract/errors.ts'
import { ConnectionLost } from '../api/client.ts'
import { useErrorText } from '../hooks/use-error-text.ts'
import { useProblemText } from '../hooks/use-field-text.ts'

interface ErrorStateProps {
  error: Error
  retry?: () => void
  /** Values of the form whose inputs show their own refusals. Only other fields are listed here. */
  marked?: Record<string, unknown>
  /** The call creates something. If its answer was lost, a hint says that it may exist already. */
  makes?: true
}

/** An error with its advice. */
export function ErrorState({ error, retry, marked = {}, makes }: ErrorStateProps) {
  const { t } = useTranslation()
  const { title, hint: usual, code } = useErrorText()(error)
  const hint = makes && error instanceof ConnectionLost ? t('errors.connectionMakes') : usual
  const problemText = useProblemText()
  const details = error instanceof ApiError ? (error.extras.details ?? []) : []
  const others = details.filter(({ field }) => !hasField(marked, field))
  return (
    <Alert variant="light" color="red" role="alert" icon={<IconAlertCircle size={20} />} title={title}>
      {hint === undefined ? null : <Text size="sm">{hint}</Text>}
      {others.length === 0 ? null : (
        <List size="sm">
          {others.map((detail) => (
            <List.Item key={`${detail.field} ${detail.message}`}>
              {detail.field}: {problemText(detail)}
            </List.Item>
          ))}
        </List>
      )}
      <Group justify="space-between" mt={4}>
        <Text size="xs" c="dimmed" ff="monospace">
          {code}
        </Text>
        {retry === undefined ? null : (
          <Button size="xs" variant="default" onClick={retry}>
            {t('actions.retry')}
          </Button>
        )}
      </Group>
    </Alert>
  )
}

/** True if a form has the field. `field` may name a member, such as `pacing.max_seconds`. */
const hasField = (values: Record<string, unknown>, field: string) => Object.hasOwn(values, field.split('.')[0] ?? '')
