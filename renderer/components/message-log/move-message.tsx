import { Group, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { MessageDetail } from '../../../server/contract/messages.ts'
import { useMoveMessage } from '../../api/messages.ts'
import { useRefusals } from '../../hooks/use-field-text.ts'
import { asTyped, sendAt } from '../../model/send-at.ts'
import { BusyButton } from '../busy-button.tsx'
import { ErrorState } from '../error-state.tsx'

/** Moves a waiting message to another time. An empty field means now. */
export function MoveMessage({ message: { id, held_by, due_at } }: { message: MessageDetail }) {
  const { t } = useTranslation()
  const move = useMoveMessage(id)
  const refusals = useRefusals()
  const planned = held_by === 'delay' ? asTyped(due_at) : ''
  const [typed, setTyped] = useState<string | null>(null)
  const [incomplete, setIncomplete] = useState(false)
  const value = typed ?? planned
  const when = sendAt(value, incomplete, Date.now())
  const words = { over: t('write.atOver'), unread: t('write.atUnread') }
  const wrong = 'wrong' in when ? words[when.wrong] : null

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!('wrong' in when)) move.mutate(when.at ?? new Date().toISOString(), { onSuccess: () => setTyped(null) })
  }

  return (
    <form onSubmit={submit} noValidate>
      <Group gap="sm" align="flex-end">
        <TextInput
          type="datetime-local"
          size="xs"
          label={t('messages.moveTo')}
          value={value}
          error={wrong ?? (move.error === null ? null : refusals(move.error).send_at)}
          onChange={({ currentTarget: { value: next, validity } }) => {
            setTyped(next)
            setIncomplete(validity.badInput)
          }}
        />
        <BusyButton
          type="submit"
          size="xs"
          variant="default"
          busy={move.isPending}
          disabled={value === planned || wrong !== null}
        >
          {t('messages.move')}
        </BusyButton>
      </Group>
      {move.error === null ? null : <ErrorState error={move.error} marked={{ send_at: value }} />}
    </form>
  )
}
