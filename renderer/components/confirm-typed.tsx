import { Button, Group, List, Modal, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ErrorState } from './error-state.tsx'

interface ConfirmTypedProps {
  title: string
  /** What is lost, one sentence each. */
  losses: string[]
  /** The word that has to be typed. */
  word: string
  confirmLabel: string
  pending: boolean
  error: Error | null
  onConfirm: () => void
  onClose: () => void
}

/** For what cannot be undone: names what is lost and asks for a word. */
export function ConfirmTyped(props: ConfirmTypedProps) {
  const { title, losses, word, confirmLabel, pending, error, onConfirm, onClose } = props
  const { t } = useTranslation()
  const [typed, setTyped] = useState('')
  const right = typed.trim() === word.trim()

  function submit(event: FormEvent) {
    event.preventDefault()
    if (right) onConfirm()
  }

  return (
    <Modal opened onClose={onClose} title={title} centered closeButtonProps={{ 'aria-label': t('actions.close') }}>
      <form onSubmit={submit}>
        <Stack>
          <List size="sm">
            {losses.map((loss) => (
              <List.Item key={loss}>{loss}</List.Item>
            ))}
          </List>
          <TextInput
            label={t('actions.confirmTyped', { word })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
          {error === null ? null : <ErrorState error={error} />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              {t('actions.cancel')}
            </Button>
            <Button type="submit" color="red" disabled={!right} loading={pending}>
              {confirmLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
