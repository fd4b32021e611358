import { useTranslation } from 'react-i18next'
import { Panel } from '../../components/panel.tsx'
import { MakeBackup } from './make-backup.tsx'
import { RestoreBackup } from './restore-backup.tsx'
import classes from './settings.module.css'

export function BackupSettings() {
  const { t } = useTranslation()
  return (
    <Panel title={t('settings.backup.title')}>
      <div className={classes.settings}>
        <MakeBackup />
        <RestoreBackup />
      </div>
    </Panel>
  )
}
