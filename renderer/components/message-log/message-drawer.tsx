import { Code, Group, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { MessageDetail } from '../../../server/contract/messages.ts'
import { useMessage } from '../../api/messages.ts'
import { Drawer } from '../drawer.tsx'
import { ErrorState } from '../error-state.tsx'
import { FailureNote } from '../failure-note.tsx'
import { JsonBlock } from '../json-block.tsx'
import { Loading } from '../loading.tsx'
import { PhoneNumber } from '../phone-number.tsx'
import { Section } from '../section.tsx'
import { StatusTick } from '../status-tick.tsx'
import { Attempts } from './attempts.tsx'
import { Callbacks } from './callbacks.tsx'
import { MessageActions } from './message-actions.tsx'
import { MessageContent } from './message-content.tsx'
import { MessageFacts } from './message-facts.tsx'
import { Timeline } from './timeline.tsx'

interface MessageDrawerProps {
  id: string
  onClose: () => void
}

export function MessageDrawer({ id, onClose }: MessageDrawerProps) {
  const message = useMessage(id)
  const { data } = message
  return (
    <Drawer title={data === undefined ? <Code>{id}</Code> : <Heading message={data} />} onClose={onClose}>
      {message.error === null ? null : <ErrorState error={message.error} retry={() => void message.refetch()} />}
      {message.isLoading ? <Loading /> : null}
      {data === undefined ? null : <Detail message={data} />}
    </Drawer>
  )
}

const Heading = ({ message }: { message: MessageDetail }) => (
  <Group gap="md" component="span">
    <PhoneNumber digits={message.recipient} />
    <Text component="span" size="sm" fw={400}>
      <StatusTick status={message.status} />
    </Text>
  </Group>
)

function Detail({ message }: { message: MessageDetail }) {
  const { t } = useTranslation()
  return (
    <Stack gap="lg">
      {message.error === null ? null : <FailureNote failure={message.error} />}
      <MessageContent message={message} />
      <MessageActions message={message} />
      <Section title={t('messages.timeline')}>
        <Timeline entries={message.timeline} />
      </Section>
      <MessageFacts message={message} />
      {message.attempt_log.length === 0 ? null : (
        <Section title={t('messages.attempts')}>
          <Attempts attempts={message.attempt_log} />
        </Section>
      )}
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
