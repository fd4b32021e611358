import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { CodeTabs } from '../../components/code-tabs.tsx'
import { Section } from '../../components/section.tsx'
import { VERIFY_SNIPPETS } from '../../model/verify-snippets.ts'

export function VerifyGuide() {
  const { t } = useTranslation()
  return (
    <Section title={t('webhooks.secret.verify')}>
      <Text size="sm" c="dimmed">
        {t('webhooks.secret.verifyHint')}
      </Text>
      <CodeTabs
        label={t('webhooks.secret.verify')}
        samples={[
          ['PHP', VERIFY_SNIPPETS.php],
          ['JavaScript', VERIFY_SNIPPETS.javascript],
          ['Python', VERIFY_SNIPPETS.python],
        ]}
      />
    </Section>
  )
}
