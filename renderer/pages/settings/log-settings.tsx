import { Select } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { SettingsView } from '../../../server/contract/settings.ts'
import { useUpdateSettings } from '../../api/settings.ts'
import { ErrorState } from '../../components/error-state.tsx'
import { Setting } from './setting.tsx'
import { SettingsSection } from './settings-section.tsx'

const FOREVER = 'forever'
const USUAL_DAYS = [30, 90, 180, 365, 730]

export function LogSettings({ settings: { retention_days: days } }: { settings: SettingsView }) {
  const { t } = useTranslation()
  const update = useUpdateSettings()
  // The API may have set another number of days.
  const choices = days === null || USUAL_DAYS.includes(days) ? USUAL_DAYS : [...USUAL_DAYS, days].sort((a, b) => a - b)
  const data = [
    ...choices.map((count) => ({ value: String(count), label: t('settings.log.days', { count }) })),
    { value: FOREVER, label: t('settings.log.forever') },
  ]
  return (
    <SettingsSection id="log" title={t('settings.log.title')}>
      <Setting
        label={t('settings.log.retention')}
        hint={t('settings.log.retentionHint')}
        below={update.error === null ? null : <ErrorState error={update.error} />}
      >
        {({ id, 'aria-describedby': describedBy }) => (
          <Select
            id={id}
            aria-describedby={describedBy}
            w={160}
            allowDeselect={false}
            data={data}
            value={days === null ? FOREVER : String(days)}
            onChange={(value) => update.mutate({ retention_days: value === FOREVER ? null : Number(value) })}
          />
        )}
      </Setting>
    </SettingsSection>
  )
}
