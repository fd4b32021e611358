import { useTranslation } from 'react-i18next'
import type { SettingsView } from '../../../server/contract/settings.ts'
import { Panel } from '../../components/panel.tsx'
import { ListSetting } from './list-setting.tsx'
import classes from './settings.module.css'

export function FilesSettings({ settings }: { settings: SettingsView }) {
  const { t } = useTranslation()
  return (
    <Panel title={t('settings.files.title')}>
      <div className={classes.settings}>
        <ListSetting
          label={t('settings.files.hosts')}
          hint={t('settings.files.hostsHint')}
          name="media_allowed_hosts"
          saved={settings.media_allowed_hosts}
          badWords={(entry) => t('settings.files.bad', { entry })}
        />
      </div>
    </Panel>
  )
}
