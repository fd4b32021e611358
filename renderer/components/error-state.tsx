import { Alert, Button, Group, List, Text } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../server/contract/errors.ts'
import { useErrorWords } from '../hooks/use-error-words.ts'

interface ErrorStateProps {
  error: Error
  retry?: () => void
}

/** What happened and what to do; stays until it is mended. */
export function ErrorState({ error, retry }: ErrorStateProps) {
  const { t } = useTranslation()
  const { title, hint, code } = useErrorWords(error)
  const details = error instanceof ApiError ? (error.extras.details ?? []) : []
  return (
    <Alert variant="light" color="red" role="alert" icon={<IconAlertCircle size={20} />} title={title}>
      {hint === undefined ? null : <Text size="sm">{hint}</Text>}
      {details.length === 0 ? null : (
        <List size="sm">
          {details.map((detail) => (
            <List.Item key={`${detail.field} ${detail.message}`}>
              {detail.field}: {detail.message}
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
