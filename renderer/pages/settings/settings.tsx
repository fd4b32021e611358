import { Alert } from '@mantine/core'
import { IconRefreshAlert } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useSettings } from '../../api/settings.ts'
import { ErrorState } from '../../components/error-state.tsx'
import { Loading } from '../../components/loading.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { AboutSettings } from './about-settings.tsx'
import { BackupSettings } from './backup-settings.tsx'
import { FilesSettings } from './files-settings.tsx'
import { LogSettings } from './log-settings.tsx'
import { MetaSettings } from './meta-settings.tsx'
import { NetworkSettings } from './network-settings.tsx'
import classes from './settings.module.css'
import { WindowSettings } from './window-settings.tsx'

export default function Settings() {
  const { t } = useTranslation()
  const { data: settings, error, refetch } = useSettings()
  return (
    <div className={classes.page}>
      <PageHeader title={t('settings.title')} />
      {error === null ? null : <ErrorState error={error} retry={() => void refetch()} />}
      {settings === undefined ? (
        <Loading />
      ) : (
        <>
          {settings.restart_needed ? (
            <Alert color="yellow" role="status" icon={<IconRefreshAlert size={20} />} title={t('settings.restart')}>
              {t('settings.restartHint')}
            </Alert>
          ) : null}
          <WindowSettings />
          <NetworkSettings settings={settings} />
          <FilesSettings settings={settings} />
          <LogSettings settings={settings} />
          <MetaSettings settings={settings} />
          <BackupSettings />
          <AboutSettings settings={settings} />
        </>
      )}
    </div>
  )
}
