import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core'
import { IconClockPause } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { SenderView } from '../../../server/contract/senders.ts'
import { useSenderAction } from '../../api/senders.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { Facts } from '../../components/facts.tsx'
import { MendButton } from '../../components/mend-button.tsx'
import { PhoneNumber } from '../../components/phone-number.tsx'
import { SenderState } from '../../components/sender-state.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { useHeldWords } from '../../hooks/use-held-words.ts'
import { soonTime } from '../../model/time.ts'

/** How a sender is, in words, with what can be done now. */
export function SenderStatus({ sender }: { sender: SenderView }) {
  const { t, i18n } = useTranslation()
  const held = useHeldWords(sender)
  const { sender_code, state, phone, account_name, waiting, sent_today, daily_cap, first_contacts_wait_until } = sender
  return (
    <Stack gap="md">
      <div>
        <SenderState state={state} />
        <Text size="sm" c="dimmed">
          {t(`states.senderWords.${state}`)} {sender.reason === null ? null : <Code>{sender.reason}</Code>}
        </Text>
      </div>
      {first_contacts_wait_until === null ? null : (
        <Alert color="yellow" icon={<IconClockPause size={20} />}>
          {t('senders.newChatsWait', { when: soonTime(first_contacts_wait_until, Date.now(), i18n.language) })}
        </Alert>
      )}
      <Actions sender={sender} />
      <Facts
        facts={[
          [t('senders.number'), phone === null ? null : <PhoneNumber key="phone" digits={phone} />],
          [t('senders.account'), account_name],
          [
            t('senders.code'),
            <Group key="code" gap={4} h={22}>
              <Code>{sender_code}</Code>
              <CopyButton compact value={sender_code} />
            </Group>,
          ],
          [t('senders.waiting'), held === null ? waiting : `${waiting} · ${held}`],
          [
            t('senders.sentToday'),
            daily_cap === null ? sent_today : t('senders.ofCap', { count: sent_today, cap: daily_cap }),
          ],
          [t('senders.lastSent'), <TimeAgo key="last" at={sender.last_sent_at} />],
        ]}
      />
    </Stack>
  )
}

function Actions({ sender }: { sender: SenderView }) {
  const { t } = useTranslation()
  const action = useSenderAction(sender.sender_code)
  return (
    <>
      <Group gap="sm">
        <MendButton sender={sender} variant="filled" />
        {sender.state === 'connected' ? (
          <Button size="xs" component={Link} href={`/try-it?sender=${sender.sender_code}`}>
            {t('senders.tryIt')}
          </Button>
        ) : null}
        {sender.paused ? null : (
          <Button size="xs" variant="default" loading={action.isPending} onClick={() => action.mutate('pause')}>
            {t('senders.pause')}
          </Button>
        )}
      </Group>
      {action.error === null ? null : <ErrorState error={action.error} />}
    </>
  )
}
