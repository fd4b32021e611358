import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core'
import { IconClockPause } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { type Concern, isAlarm } from '../../../server/contract/concerns.ts'
import type { SenderView } from '../../../server/contract/senders.ts'
import { useSenderAction } from '../../api/senders.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { LinkButton, ResumeButton } from '../../components/concern-button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { Facts } from '../../components/facts.tsx'
import { OtherPhone } from '../../components/other-phone.tsx'
import { PhoneNumber } from '../../components/phone-number.tsx'
import { RecoverButton } from '../../components/recover-button.tsx'
import { SenderState } from '../../components/sender-state.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { useConcernWords, useSenderConcern } from '../../hooks/use-concerns.ts'
import { useFormat } from '../../hooks/use-format.ts'
import { useHeldText, useQueueEnd } from '../../hooks/use-held-text.ts'
import { MoveWaiting } from './move-waiting.tsx'

interface SenderStatusProps {
  sender: SenderView
  /** A form that solves the sender's concern. */
  help: ReactNode
}

/** The state of a sender, and the buttons that help. */
export function SenderStatus({ sender, help }: SenderStatusProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const held = useHeldText(sender)
  const ends = useQueueEnd(sender)
  const concern = useSenderConcern(sender.sender_code)
  const words = useConcernWords()
  const alarm = concern !== undefined && isAlarm(concern) ? concern : undefined
  const { sender_code, phone, account_name, waiting, sent_today, daily_cap, first_contacts_wait_until } = sender
  return (
    <Stack gap="md">
      <div>
        <SenderState sender={sender} aboveChecks />
        <Hint sender={sender} alarm={alarm} />
      </div>
      <OtherPhone sender={sender} />
      {first_contacts_wait_until === null || alarm !== undefined ? null : (
        <Alert color="yellow" icon={<IconClockPause size={20} />}>
          {concern?.code === 'new_link'
            ? `${words(concern).event} ${words(concern).meaning}`
            : t('senders.newChatsWait', { when: format.until(first_contacts_wait_until, Date.now()) })}
        </Alert>
      )}
      <Actions sender={sender} alarm={alarm} help={help} />
      <MoveWaiting sender={sender} />
      <Facts
        facts={[
          [t('senders.number'), phone === null ? null : <PhoneNumber key="phone" digits={phone} />],
          [t('senders.account'), account_name],
          [
            t('senders.code'),
            <Group key="code" gap={4} mih={22}>
              <Code>{sender_code}</Code>
              <CopyButton compact value={sender_code} />
            </Group>,
          ],
          [t('senders.waiting'), [format.number(waiting), held, ends].filter((part) => part !== null).join(' · ')],
          [
            t('senders.sentToday'),
            daily_cap === null ? format.number(sent_today) : t('senders.ofCap', { count: sent_today, cap: daily_cap }),
          ],
          [t('senders.lastSent'), <TimeAgo key="last" at={sender.last_sent_at} />],
        ]}
      />
    </Stack>
  )
}

interface HintProps {
  sender: SenderView
  alarm: Concern | undefined
}

/** The alarm with its meaning and advice, as on Home. Without an alarm: what the state means. */
function Hint({ sender: { state, reason, official }, alarm }: HintProps) {
  const { t } = useTranslation()
  const words = useConcernWords()
  const code = reason === null ? null : <Code>{reason}</Code>
  // The question below the hint explains this alarm.
  if (alarm?.code === 'other_phone') return code
  if (alarm !== undefined) {
    const { event, meaning, advice } = words(alarm)
    return (
      <Text size="sm">
        {event} {meaning} {advice} {code}
      </Text>
    )
  }
  const failing = official?.checks.filter(({ ok }) => !ok).length ?? 0
  return (
    <Text size="sm" c="dimmed">
      {failing > 0 ? t('senders.official.failing', { count: failing }) : t(`states.senderHint.${state}`)} {code}
    </Text>
  )
}

interface ActionsProps {
  sender: SenderView
  alarm: Concern | undefined
}

function Actions({ sender, alarm, help }: ActionsProps & Pick<SenderStatusProps, 'help'>) {
  const { t } = useTranslation()
  const action = useSenderAction(sender.sender_code)
  const { sender_code, kind, state, paused } = sender
  return (
    <>
      <Group gap="sm" align="flex-start">
        {help}
        <RecoverButton sender={sender} variant="filled" inDrawer />
        {kind === 'linked' ? <Retry sender={sender} alarm={alarm} /> : null}
        {state === 'connected' ? (
          <Button
            size="xs"
            variant={alarm === undefined ? 'filled' : 'default'}
            component={Link}
            href={`/write?sender=${sender_code}${kind === 'official' ? '&kind=template' : ''}`}
          >
            {t('senders.tryIt')}
          </Button>
        ) : null}
        {paused ? null : (
          <BusyButton size="xs" variant="default" busy={action.isPending} onClick={() => action.mutate('pause')}>
            {t('senders.pause')}
          </BusyButton>
        )}
      </Group>
      {action.error === null ? null : <ErrorState error={action.error} />}
    </>
  )
}

/** The button for after the advice was followed, if it must not be the first thing to press. */
function Retry({ sender: { sender_code, state, reason }, alarm }: ActionsProps) {
  const { t } = useTranslation()
  // Linking a blocked number again makes the block worse. During a temporary block every attempt
  // does, so there is no button.
  if (state === 'restricted' && reason !== 'temporarily_banned') {
    return <ResumeButton senderCode={sender_code} variant="default" label={t('senders.worksAgainTry')} />
  }
  if (state === 'logged_out' && alarm?.action === 'what_to_do') {
    return <LinkButton variant="default" href={`/senders/${sender_code}/link`} label={t('senders.worksAgainLink')} />
  }
  return null
}
