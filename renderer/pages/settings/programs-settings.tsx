import { Anchor, Button, Code, List, Switch } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { SettingsView } from '../../../server/contract/settings.ts'
import { useUpdateSettings } from '../../api/settings.ts'
import { ErrorState } from '../../components/error-state.tsx'
import { Setting } from './setting.tsx'
import { SettingsSection } from './settings-section.tsx'

/** Gateways in whose form Kurir answers, with the addresses to enter in their programs. */
const GATEWAYS = [
  { name: 'fonnte', setting: 'compat_fonnte', path: '/compat/fonnte/send' },
  { name: 'wablas', setting: 'compat_wablas', path: '/compat/wablas/api/send-message' },
  { name: 'panel', setting: 'compat_panel', path: '/compat/panel/send-message' },
  { name: 'waha', setting: 'compat_waha', path: '/compat/waha' },
  { name: 'cloud', setting: 'compat_cloud', path: '/compat/cloud/v26.0' },
] as const

/** A switch for each gateway whose programs may call, and the steps to rehearse and move over. */
export function ProgramsSettings({ settings }: { settings: SettingsView }) {
  const { t } = useTranslation()
  const update = useUpdateSettings()
  return (
    <SettingsSection id="programs" title={t('settings.programs.title')}>
      {update.error === null ? null : <ErrorState error={update.error} />}
      {GATEWAYS.map(({ name, setting, path }) => (
        <Setting
          key={name}
          label={t(`settings.programs.${name}`)}
          hint={t(`settings.programs.${name}Hint`)}
          below={settings[setting] ? <Steps address={settings.api_url + path} /> : null}
        >
          {({ id, 'aria-describedby': describedBy }) => (
            <Switch
              id={id}
              aria-describedby={describedBy}
              checked={settings[setting]}
              onChange={(event) => update.mutate({ [setting]: event.currentTarget.checked })}
            />
          )}
        </Setting>
      ))}
      {settings.compat_fonnte || settings.compat_wablas || settings.compat_panel || settings.keys_in_addresses ? (
        <Setting label={t('settings.programs.keys')} hint={t('settings.programs.keysHint')}>
          {({ id, 'aria-describedby': describedBy }) => (
            <Switch
              id={id}
              aria-describedby={describedBy}
              checked={settings.keys_in_addresses}
              onChange={(event) => update.mutate({ keys_in_addresses: event.currentTarget.checked })}
            />
          )}
        </Setting>
      ) : null}
      <Setting named label={t('prints.settings')} hint={t('prints.settingsHint')}>
        {() => (
          <Button component={Link} href="/prints" variant="default">
            {t('prints.settingsOpen')}
          </Button>
        )}
      </Setting>
    </SettingsSection>
  )
}

/** The steps that move a program over to Kurir. */
function Steps({ address }: { address: string }) {
  const { t } = useTranslation()
  return (
    <List type="ordered" size="sm">
      <List.Item>
        {t('settings.programs.key')}{' '}
        <Anchor component={Link} href="/keys?open=new" size="sm" underline="always">
          {t('nav.pages.keys')}
        </Anchor>
      </List.Item>
      <List.Item>
        {t('settings.programs.address')} <Code>{address}</Code>
      </List.Item>
      <List.Item>{t('settings.programs.look')}</List.Item>
      <List.Item>{t('settings.programs.live')}</List.Item>
    </List>
  )
}
