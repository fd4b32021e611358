import { List, Text } from '@mantine/core'
import { IconAlertCircle, IconCircleCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { SenderCheck, SenderView } from '../../../server/contract/senders.ts'
import { Facts } from '../../components/facts.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import classes from './senders.module.css'

type Official = NonNullable<SenderView['official']>

/** What Kurir has checked at Meta, each with what to do about it. */
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
            <CheckText
              check={check}
              repeated={official.checks.slice(0, index).some(({ message }) => message === check.message)}
            />
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
  /** Another check above says the same: one cause is explained once. */
  repeated: boolean
}

function CheckText({ check, repeated }: CheckTextProps) {
  const { t, i18n } = useTranslation()
  const english = i18n.language === 'en'
  const general = check.ok
    ? t(`senders.official.checkWords.${check.name}.good`)
    : t(`senders.official.checkWords.${check.name}.bad`)
  return (
    <>
      <Text size="sm" fw={600} component="span">
        {t(`senders.official.check.${check.name}`)}
      </Text>{' '}
      {english && !repeated ? check.message : general}
      {check.hint === null || repeated ? null : (
        <Text size="sm" c={check.ok ? 'dimmed' : 'var(--status-bad)'}>
          {english ? check.hint : t(`senders.official.checkWords.${check.name}.hint`)}
        </Text>
      )}
      {/* What Meta and the server know exactly is English. */}
      {english || check.ok || repeated ? null : (
        <Text size="xs" c="dimmed" lang="en">
          {check.message}
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
