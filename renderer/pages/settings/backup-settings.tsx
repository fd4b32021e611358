import { Anchor } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { SettingsView } from '../../../server/contract/settings.ts'
import { BackupPlan } from './backup-plan.tsx'
import { MakeBackup } from './make-backup.tsx'
import { RestoreBackup } from './restore-backup.tsx'
import { RotateDataKey } from './rotate-data-key.tsx'
import { SettingsSection } from './settings-section.tsx'

export function BackupSettings({ settings: { onboarded } }: { settings: SettingsView }) {
  const { t } = useTranslation()
  return (
    <SettingsSection id="backup" title={t('settings.backup.title')}>
      {/* On a new PC "restore" comes first, because there is nothing to back up. */}
      {onboarded ? null : <RestoreBackup />}
      <BackupPlan />
      <MakeBackup />
      {onboarded ? <RestoreBackup /> : null}
      <RotateDataKey />
      <Anchor component={Link} href="/help#newPc" size="sm" lh="44px">
        {t('help.topics.newPc.title')}
      </Anchor>
    </SettingsSection>
  )
}
