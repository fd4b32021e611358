import { Button, Code, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { SettingsView } from '../../../server/contract/settings.ts'
import { desktop } from '../../api/desktop.ts'
import { download } from '../../api/download.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { Setting } from './setting.tsx'
import { SettingsSection } from './settings-section.tsx'
import { UpdateSetting } from './update-setting.tsx'

export function AboutSettings({ settings: { version, home } }: { settings: SettingsView }) {
  const { t } = useTranslation()
  const diagnostics = useMutation({ mutationFn: () => download('/api/diagnostics') })
  return (
    <SettingsSection id="about" title={t('settings.about.title')}>
      <Setting named label={t('settings.about.version')}>
        {() => <Text size="sm">{version}</Text>}
      </Setting>
      <Setting named label={t('help.title')} hint={t('help.hint')}>
        {() => (
          <Button component={Link} href="/help" variant="default">
            {t('help.show')}
          </Button>
        )}
      </Setting>
      {desktop === undefined ? null : <UpdateSetting desktop={desktop} />}
      <Setting named label={t('settings.about.home')}>
        {() => <Code style={{ overflowWrap: 'anywhere' }}>{home}</Code>}
      </Setting>
      <Setting
        named
        label={t('settings.about.diagnostics')}
        hint={t('settings.about.diagnosticsHint')}
        below={diagnostics.error === null ? null : <ErrorState error={diagnostics.error} />}
      >
        {({ 'aria-describedby': describedBy }) => (
          <BusyButton
            aria-describedby={describedBy}
            variant="default"
            busy={diagnostics.isPending}
            onClick={() => diagnostics.mutate()}
          >
            {t('settings.about.download')}
          </BusyButton>
        )}
      </Setting>
    </SettingsSection>
  )
}
