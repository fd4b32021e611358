import { useTranslation } from 'react-i18next'
import { useConcerns } from '../hooks/use-concerns.ts'
import { PageTabs } from './page-tabs.tsx'

/** The two pages about programs that call: their keys, and what was refused of them. */
export function KeyTabs() {
  const { t } = useTranslation()
  const refused = useConcerns().filter(({ code }) => code === 'calls_refused').length
  return (
    <PageTabs
      label={t('keys.tabs')}
      tabs={[
        { path: '/keys', name: 'keys' },
        { path: '/refused-calls', name: 'refusedCalls', count: refused },
      ]}
    />
  )
}
