import { Button, Group, TextInput } from '@mantine/core'
import { IconPrinter } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { worthSendingAgain } from '../../../server/contract/failures.ts'
import type { MessageDetail } from '../../../server/contract/messages.ts'
import { formatPhone } from '../../../server/contract/phone.ts'
import { useCancelMessage, useSendAgain } from '../../api/messages.ts'
import { useSenders } from '../../api/senders.ts'
import { useSettings } from '../../api/settings.ts'
import { useRefusals } from '../../hooks/use-field-text.ts'
import { useUrlState } from '../../hooks/use-url-state.ts'
import { countryFor, typedPhone } from '../../model/phone.ts'
import { callOf, snippet } from '../../model/snippets.ts'
import { BusyButton } from '../busy-button.tsx'
import { CopyButton } from '../copy-button.tsx'
import { ErrorState } from '../error-state.tsx'
import { MoveMessage } from './move-message.tsx'

export function MessageActions({ message }: { message: MessageDetail }) {
  const { t } = useTranslation()
  const cancel = useCancelMessage(message.id)
  const apiUrl = useSettings().data?.api_url ?? location.origin
  const ended = message.status === 'failed' || message.status === 'cancelled'
  return (
    <>
      {ended ? <SendAgain message={message} /> : null}
      {message.status === 'queued' ? <MoveMessage key={message.due_at} message={message} /> : null}
      <Group gap="sm">
        {message.status === 'queued' ? (
          <BusyButton size="xs" variant="default" busy={cancel.isPending} onClick={() => cancel.mutate()}>
            {t('messages.cancel')}
          </BusyButton>
        ) : null}
        <CopyButton value={snippet('curl', callOf(message, apiUrl))} label={t('messages.curl')} />
        <Button
          size="xs"
          variant="default"
          component={Link}
          href={`/messages/${message.id}/slip`}
          leftSection={<IconPrinter size={14} />}
        >
          {t('slip.open')}
        </Button>
      </Group>
      {cancel.error === null ? null : <ErrorState error={cancel.error} />}
    </>
  )
}

/**
 * Sends a message again as a new one. The owner may correct the number, and must if the number was
 * the cause.
 */
function SendAgain({ message }: { message: MessageDetail }) {
  const { t, i18n } = useTranslation()
  const senders = useSenders().data ?? []
  // A text that left as a template by its second road (`via`) is sent again as a text.
  const isTemplate = message.channel === 'template' && message.via === null
  const again = useSendAgain(message.id, isTemplate ? callOf(message, '').body : null)
  const refusals = useRefusals()
  const [, set] = useUrlState()
  const [typed, setTyped] = useState<string | null>(null)
  const sender = senders.find(({ sender_code }) => sender_code === message.sender_code)
  if (sender === undefined) return null

  const phone = typedPhone(typed ?? message.recipient, countryFor(sender, senders, i18n.language))
  const corrected = message.group === null && phone !== message.recipient
  const possible = corrected || message.error === null || worthSendingAgain(message.error.code)
  const wrong = message.error?.code === 'recipient_not_on_whatsapp'
  // If no retry can help, only a wrong number is worth a correction.
  if (!wrong && !possible) return null

  function submit(event: FormEvent) {
    event.preventDefault()
    again.mutate(corrected ? phone : undefined, { onSuccess: (id) => set({ open: id }) })
  }

  return (
    <form onSubmit={submit}>
      <Group gap="sm" align="flex-end">
        {message.group !== null ? null : (
          <TextInput
            type="tel"
            size="xs"
            label={wrong ? t('messages.correctNumber') : t('messages.to')}
            value={typed ?? formatPhone(message.recipient)}
            error={again.error === null ? null : refusals(again.error).phone}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        <BusyButton type="submit" size="xs" busy={again.isPending} disabled={!possible}>
          {t('messages.again')}
        </BusyButton>
      </Group>
      {again.error === null ? null : <ErrorState error={again.error} marked={{ phone }} />}
    </form>
  )
}
