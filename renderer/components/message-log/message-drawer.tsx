import { Alert, Anchor, Code, Group, Stack, Text } from '@mantine/core'
import { IconClock } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { MessageDetail } from '../../../server/contract/messages.ts'
import { useGroups } from '../../api/groups.ts'
import { useMessage } from '../../api/messages.ts'
import { useConcernWords, useSenderConcern } from '../../hooks/use-concerns.ts'
import { useFormat } from '../../hooks/use-format.ts'
import { useMessageHeldText } from '../../hooks/use-held-text.ts'
import { useNow } from '../../hooks/use-now.ts'
import { customerPath } from '../../model/phone.ts'
import { ConcernButton } from '../concern-button.tsx'
import { Drawer, type DrawerFrame } from '../drawer.tsx'
import { FailureNote } from '../failure-note.tsx'
import { JsonBlock } from '../json-block.tsx'
import { MessageStatus } from '../message-status.tsx'
import { PhoneNumber } from '../phone-number.tsx'
import { QueryView } from '../query-view.tsx'
import { Section } from '../section.tsx'
import { Callbacks } from './callbacks.tsx'
import { MessageActions } from './message-actions.tsx'
import { MessageContent } from './message-content.tsx'
import { MessageFacts } from './message-facts.tsx'
import { Timeline } from './timeline.tsx'

interface MessageDrawerProps extends DrawerFrame {
  of: string
}

export function MessageDrawer({ of, ...frame }: MessageDrawerProps) {
  const message = useMessage(of)
  const { data } = message
  return (
    <Drawer {...frame} of={of} title={data === undefined ? <Code>{of}</Code> : <Heading message={data} />}>
      <QueryView query={message}>{(loaded) => <Detail message={loaded} />}</QueryView>
    </Drawer>
  )
}

function Heading({ message }: { message: MessageDetail }) {
  const { t } = useTranslation()
  return (
    <Group gap="0 12px" component="span">
      {message.group === null ? (
        <Anchor component={Link} href={customerPath(message.recipient)} title={t('customers.all')} inherit>
          <PhoneNumber digits={message.recipient} />
        </Anchor>
      ) : (
        <GroupName senderCode={message.sender_code} group={message.group} />
      )}
      <Text component="span" size="sm" fw={400}>
        <MessageStatus status={message.status} />
      </Text>
    </Group>
  )
}

function GroupName({ senderCode, group }: { senderCode: string; group: string }) {
  const groups = useGroups(senderCode).data ?? []
  return <Text component="span">{groups.find((one) => one.group === group)?.name ?? group}</Text>
}

function Detail({ message }: { message: MessageDetail }) {
  const { t } = useTranslation()
  return (
    <Stack gap="lg">
      {message.error === null ? <Held message={message} /> : <FailureNote failure={message.error} />}
      <MessageContent message={message} />
      <MessageActions message={message} />
      <Section title={t('messages.timeline')}>
        <Timeline message={message} />
      </Section>
      <MessageFacts message={message} />
      <Section title={t('messages.callbacks')}>
        <Callbacks deliveries={message.deliveries} />
      </Section>
      {message.provider === null ? null : (
        <Section title={t('messages.provider')}>
          <JsonBlock label={t('messages.request')} value={message.provider.request} />
          <JsonBlock label={t('messages.answer')} value={message.provider.answer} />
        </Section>
      )}
    </Stack>
  )
}

/** Reasons to wait that end only if the owner acts. */
const OWNERS_TURN: ReadonlySet<MessageDetail['held_by']> = new Set(['not_connected', 'other_phone', 'paused'])

/** Says how many messages are ahead, and about when this one leaves. Null: none, or unknown. */
function usePlace({ queue, held_by }: MessageDetail): string | null {
  const { t } = useTranslation()
  const format = useFormat()
  const now = useNow(5_000)
  if (queue === null || queue.ahead === 0) return null
  const when = queue.leaves_at === null ? null : format.until(queue.leaves_at, now)
  const place =
    when === null ? t('messages.ahead', { count: queue.ahead }) : t('messages.place', { count: queue.ahead, when })
  return held_by === 'queue' || held_by === null ? place : `${t(`states.messageHeld.${held_by}`)}. ${place}`
}

/** Says why a message waits, until when, and what the owner can do about it. */
function Held({ message }: { message: MessageDetail }) {
  const text = useMessageHeldText()(message)
  const concern = useSenderConcern(message.sender_code)
  const words = useConcernWords()
  const place = usePlace(message)
  if (text === null) return null
  return (
    <Alert color="blue" icon={<IconClock size={20} />} role="note">
      {place ?? text}
      {concern === undefined || !OWNERS_TURN.has(message.held_by) ? null : (
        <Stack gap="sm" mt={4} align="flex-start">
          <Text size="sm">
            {words(concern).event} {words(concern).advice}
          </Text>
          <ConcernButton concern={concern} variant="default" />
        </Stack>
      )}
    </Alert>
  )
}
