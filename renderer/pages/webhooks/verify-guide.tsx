import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { CodeTabs } from '../../components/code-tabs.tsx'
import { Section } from '../../components/section.tsx'
import { signatureOf, VERIFY_SNIPPETS } from '../../model/verify-snippets.ts'

/** Code with which a program checks the signature of callbacks in this format. */
export function VerifyGuide({ format }: { format: string }) {
  const { t } = useTranslation()
  const signature = signatureOf(format)
  const { php, javascript, python } = VERIFY_SNIPPETS[signature]
  return (
    <Section title={t('webhooks.secret.verify')}>
      <Text size="sm" c="dimmed">
        {t(`webhooks.secret.verifyHint.${signature}`)}
      </Text>
      <CodeTabs
        label={t('webhooks.secret.verify')}
        samples={[
          ['PHP', php],
          ['JavaScript', javascript],
          ['Python', python],
        ]}
      />
    </Section>
  )
}
