import { Stack, Text, Textarea, Title } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useChat } from '../../api/messages.ts'
import { useSend } from '../../api/send.ts'
import { useSenders } from '../../api/senders.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { Phone } from '../../components/phone/phone.tsx'
import classes from './welcome.module.css'

const CUSTOMER = '6281234567890'

export function SandboxStep() {
  const { t } = useTranslation()
  const sandbox = useSenders().data?.find((sender) => sender.kind === 'sandbox')
  const sender_code = sandbox?.sender_code ?? ''
  const messages = useChat(sender_code, CUSTOMER)
  const send = useSend()
  const [message, setMessage] = useState(() => t('welcome.sandbox.hello'))
  const arrived = messages.some(({ status }) => status === 'delivered' || status === 'read')

  function submit(event: FormEvent) {
    event.preventDefault()
    send.mutate({ sender_code, phone: CUSTOMER, message })
  }

  return (
    <div className={classes.sides}>
      <form onSubmit={submit}>
        <Stack maw={480}>
          <Title order={2}>{t('welcome.sandbox.heading')}</Title>
          <Text>{t('welcome.sandbox.text')}</Text>
          <Textarea
            label={t('welcome.sandbox.message')}
            autosize
            minRows={3}
            maxRows={6}
            required
            value={message}
            onChange={(event) => setMessage(event.currentTarget.value)}
          />
          <BusyButton
            type="submit"
            leftSection={<IconSend size={16} />}
            busy={send.isPending}
            disabled={sandbox === undefined}
            style={{ alignSelf: 'flex-start' }}
          >
            {t('welcome.sandbox.send')}
          </BusyButton>
          {send.error === null ? null : <ErrorState error={send.error} />}
          <Text size="sm" c="var(--status-good)" role="status" mih={22}>
            {arrived ? t('welcome.sandbox.arrived') : ''}
          </Text>
        </Stack>
      </form>
      <Phone from={sandbox?.name ?? 'Kurir'} messages={messages} />
    </div>
  )
}
