import { useTranslation } from 'react-i18next'
import type { SettingsView } from '../../../server/contract/settings.ts'
import { typedNumber } from '../../components/input-values.ts'
import { useFormat } from '../../hooks/use-format.ts'
import { ListSetting } from './list-setting.tsx'
import { SettingsSection } from './settings-section.tsx'
import { TextSetting } from './text-setting.tsx'

export function FilesSettings({ settings }: { settings: SettingsView }) {
  const { t } = useTranslation()
  const format = useFormat()
  return (
    <SettingsSection id="files" title={t('settings.files.title')}>
      <ListSetting
        label={t('settings.files.hosts')}
        hint={t('settings.files.hostsHint')}
        name="media_allowed_hosts"
        saved={settings.media_allowed_hosts}
        badText={(entry) => t('settings.files.bad', { entry })}
      />
      <ListSetting
        label={t('settings.files.folders')}
        hint={t('settings.files.foldersHint')}
        name="file_folders"
        saved={settings.file_folders}
      />
      <TextSetting
        kind="number"
        label={t('settings.files.quota')}
        hint={t('settings.files.quotaHint', { used: format.bytes(settings.files_bytes) })}
        name="files_quota_mb"
        saved={String(settings.files_quota_mb)}
        change={(text) => ({ files_quota_mb: typedNumber(text) })}
      />
    </SettingsSection>
  )
}
