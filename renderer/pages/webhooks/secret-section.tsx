import { Alert, Button, Collapse, Group, Text } from '@mantine/core'
import { IconClock } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../../server/contract/errors.ts'
import type { WebhookView } from '../../../server/contract/webhooks.ts'
import { useRotateSecret } from '../../api/webhooks.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { SecretOnce } from '../../components/secret-once.tsx'
import { Section } from '../../components/section.tsx'
import { useFormat } from '../../hooks/use-format.ts'
import { VerifyGuide } from './verify-guide.tsx'

/** Renews the secret. The old one also signs for another day. */
export function SecretSection({ id, format: form }: Pick<WebhookView, 'id' | 'format'>) {
  const { t } = useTranslation()
  const format = useFormat()
  const rotate = useRotateSecret(id)
  const until = rotate.data?.previous_valid_until
  const [guide, setGuide] = useState(false)
  return (
    <Section title={t('webhooks.secret.heading')}>
      <Text size="sm" c="dimmed">
        {t('webhooks.secret.text')}
      </Text>
      {rotate.data === undefined ? null : (
        <SecretOnce
          title={t('webhooks.secret.once')}
          hint={
            until == null
              ? t('webhooks.secret.rotatedAlone')
              : t('webhooks.secret.rotated', { when: format.until(until, Date.now()) })
          }
          value={rotate.data.secret}
          onStored={() => rotate.reset()}
        />
      )}
      {rotate.error === null ? null : <Refused error={rotate.error} at={rotate.submittedAt} />}
      <Group gap="sm">
        {/* A second secret would replace the shown one before the owner has stored it. */}
        {rotate.data === undefined ? (
          <BusyButton size="xs" variant="default" busy={rotate.isPending} onClick={() => rotate.mutate()}>
            {t('webhooks.secret.rotate')}
          </BusyButton>
        ) : null}
        <Button size="xs" variant="subtle" aria-expanded={guide} onClick={() => setGuide(!guide)}>
          {t('webhooks.secret.verify')}
        </Button>
      </Group>
      <Collapse expanded={guide}>
        <VerifyGuide format={form} />
      </Collapse>
    </Section>
  )
}

interface RefusedProps {
  error: Error
  /** Time of the press, in milliseconds since 1970. */
  at: number
}

/** Says from when a new secret is possible, if as many secrets sign as may, or shows the error. */
function Refused({ error, at }: RefusedProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const seconds = error instanceof ApiError && error.code === 'conflict' ? error.extras.retry_after : undefined
  if (seconds === undefined) return <ErrorState error={error} />
  const from = new Date(at + seconds * 1000).toISOString()
  return (
    <Alert color="yellow" role="alert" icon={<IconClock size={20} />} title={t('webhooks.secret.enough')}>
      {t('webhooks.secret.enoughHint', { when: format.until(from, at) })}
    </Alert>
  )
}
