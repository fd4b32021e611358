import { useTranslation } from 'react-i18next'
import type { SettingsView } from '../../../server/contract/settings.ts'
import { ListSetting } from './list-setting.tsx'
import { SettingsSection } from './settings-section.tsx'

export function FilesSettings({ settings }: { settings: SettingsView }) {
  const { t } = useTranslation()
  return (
    <SettingsSection id="files" title={t('settings.files.title')}>
      <ListSetting
        label={t('settings.files.hosts')}
        hint={t('settings.files.hostsHint')}
        name="media_allowed_hosts"
        saved={settings.media_allowed_hosts}
        badText={(entry) => t('settings.files.bad', { entry })}
      />
    </SettingsSection>
  )
}
