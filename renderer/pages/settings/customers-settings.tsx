import { useTranslation } from 'react-i18next'
import type { SettingsView } from '../../../server/contract/settings.ts'
import { ListSetting } from './list-setting.tsx'
import { SettingsSection } from './settings-section.tsx'

/** Words with which customers opt out of advertising, and in again. */
export function CustomersSettings({ settings }: { settings: SettingsView }) {
  const { t } = useTranslation()
  return (
    <SettingsSection id="customers" title={t('settings.customers.title')}>
      <ListSetting
        label={t('settings.customers.out')}
        hint={t('settings.customers.outHint')}
        name="opt_out_keywords"
        saved={settings.opt_out_keywords}
      />
      <ListSetting
        label={t('settings.customers.in')}
        hint={t('settings.customers.inHint')}
        name="opt_in_keywords"
        saved={settings.opt_in_keywords}
      />
    </SettingsSection>
  )
}
