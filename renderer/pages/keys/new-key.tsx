import { Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { KeyView } from '../../../server/contract/access.ts'
import { useSenders } from '../../api/senders.ts'
import { useSettings } from '../../api/settings.ts'
import { SecretOnce } from '../../components/secret-once.tsx'
import { Section } from '../../components/section.tsx'
import { Snippets } from '../../components/snippets.tsx'
import { exampleCall } from '../../model/example-call.ts'

interface NewKeyProps {
  created: KeyView & { key: string }
  onStored: () => void
}

/**
 * Shows the key this once, with an example call through the key's sender. For a key of all senders
 * the example uses the sandbox.
 */
export function NewKey({ created: { key, sender_code, scopes }, onStored }: NewKeyProps) {
  const { t } = useTranslation()
  const apiUrl = useSettings().data?.api_url ?? location.origin
  const sender = useSenders().data?.find((one) =>
    sender_code === null ? one.kind === 'sandbox' : one.sender_code === sender_code,
  )
  return (
    <Stack gap="lg">
      <SecretOnce title={t('keys.once')} hint={t('keys.onceHint')} value={key} onStored={onStored} />
      {scopes === 'read' ? null : (
        <Section title={t('keys.tryIt')}>
          <Text size="sm" c="dimmed">
            {sender?.kind === 'sandbox' ? t('keys.trySandbox') : t('keys.tryReal')}
          </Text>
          <Snippets label={t('keys.tryIt')} call={exampleCall(sender, apiUrl, t('keys.exampleMessage'))} apiKey={key} />
        </Section>
      )}
    </Stack>
  )
}
