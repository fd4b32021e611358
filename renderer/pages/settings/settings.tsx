import { Alert } from '@mantine/core'
import { IconRefreshAlert } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useSettings } from '../../api/settings.ts'
import { PageHeader } from '../../components/page-header.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { AboutSettings } from './about-settings.tsx'
import { AccessSettings } from './access-settings.tsx'
import { AlarmSettings } from './alarm-settings.tsx'
import { BackupSettings } from './backup-settings.tsx'
import { CustomersSettings } from './customers-settings.tsx'
import { FilesSettings } from './files-settings.tsx'
import { LogSettings } from './log-settings.tsx'
import { MetaSettings } from './meta-settings.tsx'
import { NetworkSettings } from './network-settings.tsx'
import { ProgramsSettings } from './programs-settings.tsx'
import classes from './settings.module.css'
import { WindowSettings } from './window-settings.tsx'

/** In the order of the page, by the ids of the sections. */
const SECTIONS = [
  'window',
  'alarms',
  'network',
  'access',
  'files',
  'customers',
  'programs',
  'log',
  'meta',
  'backup',
  'about',
] as const

export default function Settings() {
  const { t } = useTranslation()
  return (
    <>
      <PageHeader title={t('settings.title')} />
      <div className={classes.page}>
        <nav className={classes.index} aria-label={t('settings.sections')}>
          {SECTIONS.map((id) => (
            <a key={id} href={`#${id}`}>
              {t(`settings.${id}.title`)}
            </a>
          ))}
        </nav>
        <div className={classes.sections}>
          <QueryView query={useSettings()}>
            {(settings) => (
              <>
                {settings.restart_needed ? (
                  <Alert
                    color="yellow"
                    role="status"
                    icon={<IconRefreshAlert size={20} />}
                    title={t('settings.restart')}
                  >
                    {t('settings.restartHint')}
                  </Alert>
                ) : null}
                <WindowSettings />
                <AlarmSettings />
                <NetworkSettings settings={settings} />
                <AccessSettings settings={settings} />
                <FilesSettings settings={settings} />
                <CustomersSettings settings={settings} />
                <ProgramsSettings settings={settings} />
                <LogSettings settings={settings} />
                <MetaSettings settings={settings} />
                <BackupSettings />
                <AboutSettings settings={settings} />
              </>
            )}
          </QueryView>
        </div>
      </div>
    </>
  )
}
