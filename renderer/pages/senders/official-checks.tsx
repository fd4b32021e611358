import { List, Text } from '@mantine/core'
import { IconAlertCircle, IconCircleCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { SenderCheck } from '../../../server/contract/official-senders.ts'
import type { SenderView } from '../../../server/contract/senders.ts'
import { sayWith } from '../../../server/words/say.ts'
import { Facts } from '../../components/facts.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { useFormat } from '../../hooks/use-format.ts'
import { useWords } from '../../hooks/use-words.ts'
import classes from './senders.module.css'

type Official = NonNullable<SenderView['official']>

/** True if a failed check above has the same sentence or advice, or must be solved first. */
const isRepeated = (check: SenderCheck, above: readonly SenderCheck[]): boolean =>
  !check.ok &&
  above.some(
    ({ ok, message, hint }) =>
      !ok && (message === check.message || hint === check.hint || check.hint_code === 'check_again'),
  )

/** Kurir's checks at Meta, each with its advice. */
export function OfficialChecks({ official }: { official: Official }) {
  const { t } = useTranslation()
  return (
    <>
      <List
        spacing="sm"
        size="sm"
        classNames={{ itemWrapper: classes.check ?? '' }}
        p={0}
        aria-label={t('senders.official.checks')}
      >
        {official.checks.map((check, index) => (
          <List.Item key={check.name} icon={<CheckIcon ok={check.ok} />}>
            <CheckText check={check} repeated={isRepeated(check, official.checks.slice(0, index))} />
          </List.Item>
        ))}
      </List>
      <Facts
        facts={[
          [
            t('senders.official.lastStatus'),
            official.last_status_at === null ? (
              t('senders.official.noStatus')
            ) : (
              <TimeAgo key="last" at={official.last_status_at} />
            ),
          ],
          [t('senders.official.phoneNumberId'), official.phone_number_id],
          [t('senders.official.wabaId'), official.waba_id],
        ]}
      />
    </>
  )
}

interface CheckTextProps {
  check: SenderCheck
  /** True if a check above already explains the cause. */
  repeated: boolean
}

function CheckText({ check, repeated }: CheckTextProps) {
  const { t } = useTranslation()
  return (
    <>
      <Text size="sm" fw={600} component="span">
        {t(`senders.official.check.${check.name}`)}
      </Text>{' '}
      {repeated ? t('senders.official.sameReason') : <Finding check={check} />}
    </>
  )
}

/** Replaces ISO times, which the server writes for programs, with local ones. */
const withLocalTimes = (text: string, format: ReturnType<typeof useFormat>): string =>
  text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => format.until(time, Date.now()))

/** Values of a finding that are Meta's own names. */
const OF_META = new Set(['status', 'quality', 'display_name', 'throughput'])

function Finding({ check: { ok, finding, hint, hint_code } }: { check: SenderCheck }) {
  const { t, i18n } = useTranslation()
  const words = useWords()
  const format = useFormat()
  const english = i18n.language === 'en'
  // Names of Meta that have no translation are shown as they are.
  const saidByMeta = (value: string) => t(`senders.official.metaSays.${value as 'UNKNOWN'}`, { defaultValue: value })
  const values = Object.fromEntries(
    Object.entries(finding.values).map(([name, value]) => [
      name,
      OF_META.has(name) ? saidByMeta(String(value)) : value,
    ]),
  )
  return (
    <>
      {withLocalTimes(sayWith(words, `findings.${finding.code}`, values), format)}
      {hint === null ? null : (
        <Text size="sm" c={ok ? 'dimmed' : 'var(--status-bad)'}>
          {english || !hint_code ? hint : t(`providerHints.${hint_code}`)}
        </Text>
      )}
      {/* Meta's own words. */}
      {finding.exact === null ? null : (
        <Text size="xs" c="dimmed" lang="en">
          {finding.exact}
        </Text>
      )}
    </>
  )
}

function CheckIcon({ ok }: { ok: boolean }) {
  const { t } = useTranslation()
  const name = ok ? t('words.yes') : t('words.no')
  return ok ? (
    <IconCircleCheck size={20} color="var(--status-good)" role="img" aria-label={name} />
  ) : (
    <IconAlertCircle size={20} color="var(--status-bad)" role="img" aria-label={name} />
  )
}
