import { useTranslation } from 'react-i18next'
import type { SettingsView } from '../../../server/contract/settings.ts'
import { typedNumber } from '../../components/input-values.ts'
import { LanSettings } from './lan-settings.tsx'
import { ListSetting } from './list-setting.tsx'
import classes from './settings.module.css'
import { SettingsSection } from './settings-section.tsx'
import { TextSetting } from './text-setting.tsx'

export function NetworkSettings({ settings }: { settings: SettingsView }) {
  const { t } = useTranslation()
  return (
    <SettingsSection id="network" title={t('settings.network.title')}>
      <LanSettings settings={settings} />
      <details className={classes.advanced}>
        <summary>{t('settings.network.advanced')}</summary>
        <TextSetting
          kind="number"
          label={t('settings.network.port')}
          hint={t('settings.network.portHint')}
          name="port"
          saved={String(settings.port)}
          change={(text) => ({ port: typedNumber(text) })}
        />
        <TextSetting
          kind="number"
          label={t('settings.network.webhookPort')}
          hint={t('settings.network.webhookPortHint')}
          name="webhook_port"
          saved={String(settings.webhook_port)}
          change={(text) => ({ webhook_port: typedNumber(text) })}
        />
        <ListSetting
          label={t('settings.network.hosts')}
          hint={t('settings.network.hostsHint')}
          name="allowed_hosts"
          saved={settings.allowed_hosts}
        />
        <ListSetting
          label={t('settings.network.cors')}
          hint={t('settings.network.corsHint')}
          name="cors_origins"
          saved={settings.cors_origins}
        />
      </details>
    </SettingsSection>
  )
}
