import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { ALARM_KINDS, type AlarmsView } from '../../../server/slices/alarms/contract.ts'
import { useAlarms, useUpdateAlarms } from '../../api/alarms.ts'
import { QueryView } from '../../components/query-view.tsx'
import { useAlarmError } from '../../hooks/use-callback-error.ts'
import { useFormat } from '../../hooks/use-format.ts'
import { AlarmRoad } from './alarm-road.tsx'
import { SettingsSection } from './settings-section.tsx'
import { TypedSetting } from './text-setting.tsx'

/** Roads by which Kurir alarms the owner outside of this window. */
export function AlarmSettings() {
  const { t } = useTranslation()
  return (
    <SettingsSection id="alarms" title={t('settings.alarms.title')}>
      <QueryView query={useAlarms()}>
        {(alarms) => (
          <>
            <Text size="sm" c="dimmed" mb="md">
              {t('settings.alarms.lead')}
            </Text>
            {ALARM_KINDS.map((kind) => (
              <AlarmRoad key={kind} kind={kind} saved={alarms[kind]} />
            ))}
            <DailyLine at={alarms.daily_at} />
            <Last last={alarms.last} />
          </>
        )}
      </QueryView>
    </SettingsSection>
  )
}

function DailyLine({ at }: { at: string | null }) {
  const { t } = useTranslation()
  return (
    <TypedSetting
      kind="time"
      label={t('settings.alarms.daily')}
      hint={t('settings.alarms.dailyHint')}
      name="daily_at"
      saved={at ?? ''}
      change={(text) => ({ daily_at: text === '' ? null : text })}
      update={useUpdateAlarms()}
    />
  )
}

/** The outcome of the newest alarm. Names a failed road, which cannot report its own failure. */
function Last({ last }: Pick<AlarmsView, 'last'>) {
  const { t } = useTranslation()
  const format = useFormat()
  const errorText = useAlarmError()
  if (last === null) return null
  return (
    <Text size="sm" mt="md" {...(last.failed.length > 0 ? { c: 'var(--status-bad)', role: 'alert' } : { c: 'dimmed' })}>
      {last.failed.length === 0
        ? t('settings.alarms.lastGood', { when: format.exact(last.at) })
        : last.failed
            .map(({ kind, ...failure }) =>
              t('settings.alarms.lastBad', { road: t(`settings.alarms.roads.${kind}`), error: errorText(failure) }),
            )
            .join(' ')}
    </Text>
  )
}
