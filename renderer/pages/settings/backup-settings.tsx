import { Anchor } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { BackupPlan } from './backup-plan.tsx'
import { MakeBackup } from './make-backup.tsx'
import { RestoreBackup } from './restore-backup.tsx'
import { RotateDataKey } from './rotate-data-key.tsx'
import { SettingsSection } from './settings-section.tsx'

export function BackupSettings() {
  const { t } = useTranslation()
  return (
    <SettingsSection id="backup" title={t('settings.backup.title')}>
      <BackupPlan />
      <MakeBackup />
      <RestoreBackup />
      <RotateDataKey />
      <Anchor component={Link} href="/help#newPc" size="sm" lh="44px">
        {t('help.topics.newPc.title')}
      </Anchor>
    </SettingsSection>
  )
}
