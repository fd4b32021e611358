import { Code, Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { SettingsView } from '../../../server/contract/settings.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { Facts } from '../../components/facts.tsx'
import classes from './settings.module.css'
import { SettingsSection } from './settings-section.tsx'
import { TextSetting } from './text-setting.tsx'

export function MetaSettings({ settings }: { settings: SettingsView }) {
  const { t } = useTranslation()
  const { public_webhook_url, webhook_url } = settings
  return (
    <SettingsSection id="meta" title={t('settings.meta.title')}>
      <TextSetting
        label={t('settings.meta.publicUrl')}
        hint={t('settings.meta.publicUrlHint')}
        name="public_webhook_url"
        placeholder="https://kurir.example/waba/webhook"
        saved={public_webhook_url ?? ''}
        change={(text) => ({ public_webhook_url: text === '' ? null : text })}
      />
      <div className={classes.setting}>
        <div className={classes.below}>
          <Facts
            facts={[
              [
                t('settings.meta.local'),
                <Group key="url" gap={4} mih={22}>
                  <Code>{webhook_url}</Code>
                  <CopyButton compact value={webhook_url} />
                </Group>,
              ],
            ]}
          />
        </div>
      </div>
    </SettingsSection>
  )
}
