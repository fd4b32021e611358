import { NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useSettings } from '../../api/settings.ts'
import { PageHeader } from '../../components/page-header.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { useNarrow } from '../../hooks/use-narrow.ts'
import { ADVANCED, type Section, USUAL } from '../../model/settings-sections.ts'
import { AboutSettings } from './about-settings.tsx'
import { AccessSettings } from './access-settings.tsx'
import { AlarmSettings } from './alarm-settings.tsx'
import { BackupSettings } from './backup-settings.tsx'
import { CustomersSettings } from './customers-settings.tsx'
import { DropFolderSettings } from './drop-folder-settings.tsx'
import { FilesSettings } from './files-settings.tsx'
import { LogSettings } from './log-settings.tsx'
import { MetaSettings } from './meta-settings.tsx'
import { NetworkSettings } from './network-settings.tsx'
import { ProgramsSettings } from './programs-settings.tsx'
import { RestartNeeded } from './restart-needed.tsx'
import classes from './settings.module.css'
import { useShownSection } from './use-shown-section.ts'
import { WindowSettings } from './window-settings.tsx'

export default function Settings() {
  const { t } = useTranslation()
  const shown = useShownSection()
  const narrow = useNarrow()
  const option = (value: Section) => ({ value, label: t(`settings.${value}.title`) })
  const link = (id: Section) => (
    <a key={id} href={`#${id}`} aria-current={id === shown ? 'true' : undefined}>
      {t(`settings.${id}.title`)}
    </a>
  )
  return (
    <>
      <PageHeader title={t('settings.title')} />
      <div className={classes.page}>
        {narrow ? (
          <NativeSelect
            aria-label={t('settings.sections')}
            data={[...USUAL.map(option), { group: t('settings.advanced'), items: ADVANCED.map(option) }]}
            value={shown}
            onChange={(event) => location.replace(`#${event.currentTarget.value}`)}
          />
        ) : (
          <nav className={classes.index} aria-label={t('settings.sections')}>
            {USUAL.map(link)}
            <span className={classes.heading}>{t('settings.advanced')}</span>
            {ADVANCED.map(link)}
          </nav>
        )}
        <div className={classes.sections}>
          <QueryView query={useSettings()}>
            {(settings) => (
              <>
                {settings.restart_needed ? <RestartNeeded /> : null}
                <WindowSettings />
                <AlarmSettings />
                <NetworkSettings settings={settings} />
                <AccessSettings settings={settings} />
                <FilesSettings settings={settings} />
                <DropFolderSettings />
                <CustomersSettings settings={settings} />
                <ProgramsSettings settings={settings} />
                <LogSettings settings={settings} />
                <MetaSettings settings={settings} />
                <BackupSettings settings={settings} />
                <AboutSettings settings={settings} />
              </>
            )}
          </QueryView>
        </div>
      </div>
    </>
  )
}
