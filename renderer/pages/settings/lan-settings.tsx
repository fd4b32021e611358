import { Alert, Code, Group, Stack, Switch, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { SettingsView } from '../../../server/contract/settings.ts'
import { useUpdateSettings } from '../../api/settings.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { Setting } from './setting.tsx'

/** The switch that lets other PCs reach Kurir, with its consequences and Kurir's address. */
export function LanSettings({ settings }: { settings: SettingsView }) {
  const { t } = useTranslation()
  const update = useUpdateSettings()
  const open = settings.host === '0.0.0.0'
  return (
    <>
      <Setting
        label={t('settings.network.lan')}
        hint={t('settings.network.lanHint')}
        below={
          <>
            {update.error === null ? null : <ErrorState error={update.error} />}
            {open ? <Reach settings={settings} /> : null}
          </>
        }
      >
        {({ id, 'aria-describedby': describedBy }) => (
          <Switch
            id={id}
            aria-describedby={describedBy}
            checked={open}
            onChange={(event) => update.mutate({ host: event.currentTarget.checked ? '0.0.0.0' : '127.0.0.1' })}
          />
        )}
      </Setting>
      {open || settings.remote_administration ? (
        <Setting label={t('settings.network.remote')} hint={t('settings.network.remoteHint')}>
          {({ id, 'aria-describedby': describedBy }) => (
            <Switch
              id={id}
              aria-describedby={describedBy}
              checked={settings.remote_administration}
              onChange={(event) => update.mutate({ remote_administration: event.currentTarget.checked })}
            />
          )}
        </Setting>
      ) : null}
    </>
  )
}

function Reach({ settings: { lan_urls, restart_needed } }: { settings: SettingsView }) {
  const { t } = useTranslation()
  const isLater = restart_needed && lan_urls.length === 0
  const title = isLater ? t('settings.network.lanWarningLater') : t('settings.network.lanWarning')
  return (
    <Alert color="yellow" icon={<IconAlertTriangle size={20} />} title={title}>
      <Stack gap="sm">
        <Text size="sm">{t('settings.network.lanWarningText')}</Text>
        <Text size="sm" fw={500}>
          {t('settings.network.lanAddress')}
        </Text>
        {lan_urls.map((url) => (
          <Group key={url} gap={4}>
            <Code>{url}</Code>
            <CopyButton compact value={url} />
          </Group>
        ))}
        {lan_urls.length === 0 ? (
          <Text size="sm">{isLater ? t('settings.network.lanLater') : t('settings.network.lanNone')}</Text>
        ) : null}
      </Stack>
    </Alert>
  )
}
