import { Button, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { KeyView } from '../../../server/contract/keys.ts'
import { useSender } from '../../api/senders.ts'
import { useSettings } from '../../api/settings.ts'
import { SecretOnce } from '../../components/secret-once.tsx'
import { Section } from '../../components/section.tsx'
import { Snippets } from '../../components/snippets.tsx'
import { exampleCall } from '../../model/example-call.ts'

interface NewKeyProps {
  made: KeyView & { key: string }
  onDone: () => void
}

/** The key, this once, with a call that uses it. */
export function NewKey({ made, onDone }: NewKeyProps) {
  const { t } = useTranslation()
  const sender = useSender(made.sender_code ?? '').data
  const apiUrl = useSettings().data?.api_url ?? location.origin
  const call = exampleCall(sender, apiUrl, t('keys.exampleMessage'))
  const safe = sender === undefined || sender.kind === 'sandbox'
  return (
    <Stack gap="lg">
      <SecretOnce title={t('keys.once')} hint={t('keys.onceHint')} value={made.key} />
      <Section title={t('keys.tryIt')}>
        <Text size="sm" c="dimmed">
          {safe ? t('keys.trySandbox') : t('keys.tryReal')}
        </Text>
        <Snippets label={t('keys.tryIt')} call={call} apiKey={made.key} />
      </Section>
      <Button style={{ alignSelf: 'flex-end' }} onClick={onDone}>
        {t('keys.stored')}
      </Button>
    </Stack>
  )
}
