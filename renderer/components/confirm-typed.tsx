import { Button, Group, List, Modal, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { BusyButton } from './busy-button.tsx'
import { ErrorState } from './error-state.tsx'

interface QuestionProps {
  /** Sentences, one about each loss. */
  losses: string[]
  word: string
  confirmLabel: string
  pending: boolean
  error: Error | null
  onConfirm: () => void
  onClose: () => void
}

interface ConfirmTypedProps extends QuestionProps {
  opened: boolean
  title: string
}

/**
 * Asks before an action that cannot be undone: names the losses, and wants a word typed. Keep it
 * mounted while closed, so that the focus can return.
 */
export function ConfirmTyped({ opened, title, ...question }: ConfirmTypedProps) {
  const { t } = useTranslation()
  return (
    <Modal
      opened={opened}
      onClose={question.onClose}
      title={title}
      centered
      closeButtonProps={{ 'aria-label': t('actions.close') }}
    >
      <Question {...question} />
    </Modal>
  )
}

/** Ignores spaces and case: pages show spaces as one, and phones capitalise the first letter. */
const plain = (text: string) => text.trim().replaceAll(/\s+/g, ' ').toLowerCase()

function Question({ losses, word, confirmLabel, pending, error, onConfirm, onClose }: QuestionProps) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState('')
  // An error from before was shown by the previous question.
  const [told] = useState(error)
  // If the button that asked is gone too, the drawer around it takes the focus.
  useEffect(
    () => () => {
      if (document.activeElement === document.body) document.querySelector('dialog')?.focus()
    },
    [],
  )
  const right = plain(typed) === plain(word)

  function submit(event: FormEvent) {
    event.preventDefault()
    if (right) onConfirm()
  }

  return (
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
        {error === null || error === told ? null : <ErrorState error={error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {t('actions.cancel')}
          </Button>
          <BusyButton type="submit" color="red" disabled={!right} busy={pending}>
            {confirmLabel}
          </BusyButton>
        </Group>
      </Stack>
    </form>
  )
}
