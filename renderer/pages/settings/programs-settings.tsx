import { Anchor, Code, List, Switch } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { SettingsView } from '../../../server/contract/settings.ts'
import { useUpdateSettings } from '../../api/settings.ts'
import { ErrorState } from '../../components/error-state.tsx'
import { Setting } from './setting.tsx'
import { SettingsSection } from './settings-section.tsx'

/** Programs that were written for Fonnte: one switch, and how to rehearse before anything leaves. */
export function ProgramsSettings({ settings }: { settings: SettingsView }) {
  const { t } = useTranslation()
  const update = useUpdateSettings()
  return (
    <SettingsSection id="programs" title={t('settings.programs.title')}>
      <Setting
        label={t('settings.programs.fonnte')}
        hint={t('settings.programs.fonnteHint')}
        below={
          <>
            {update.error === null ? null : <ErrorState error={update.error} />}
            {settings.compat_fonnte ? (
              <List type="ordered" size="sm">
                <List.Item>
                  {t('settings.programs.key')}{' '}
                  <Anchor component={Link} href="/keys?open=new" size="sm" underline="always">
                    {t('nav.pages.keys')}
                  </Anchor>
                </List.Item>
                <List.Item>
                  {t('settings.programs.address')} <Code>{`${settings.api_url}/compat/fonnte/send`}</Code>
                </List.Item>
                <List.Item>{t('settings.programs.look')}</List.Item>
                <List.Item>{t('settings.programs.live')}</List.Item>
              </List>
            ) : null}
          </>
        }
      >
        {({ id, 'aria-describedby': describedBy }) => (
          <Switch
            id={id}
            aria-describedby={describedBy}
            checked={settings.compat_fonnte}
            onChange={(event) => update.mutate({ compat_fonnte: event.currentTarget.checked })}
          />
        )}
      </Setting>
    </SettingsSection>
  )
}
