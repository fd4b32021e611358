import { Stack, Textarea, TextInput } from '@mantine/core'
import { type DragEvent, type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { MESSAGE_MAX } from '../../../server/contract/send.ts'
import { useSend } from '../../api/send.ts'
import { ChatText } from '../../components/phone/chat-text.tsx'
import { Media } from '../../components/phone/media.tsx'
import { useLeaveGuard } from '../../hooks/leave-guard.ts'
import { useRefusals } from '../../hooks/use-field-text.ts'
import { Addressing, type Recipient } from './addressing.tsx'
import { FileField } from './file-field.tsx'
import { KeepText, SavedTexts } from './saved-texts.tsx'
import { SendBar } from './send-bar.tsx'
import { type TextDraft, useTextDraft } from './use-text-draft.ts'

interface TextFormProps {
  to: Recipient
  /** Shows the unfinished message on the phone at the right. */
  showDraft: (draft: ReactNode) => void
}

export function TextForm({ to, showDraft }: TextFormProps) {
  const send = useSend()
  const refusals = useRefusals()
  const draft = useTextDraft(to)
  const [pressed, setPressed] = useState(false)
  const errors = send.error === null ? {} : refusals(send.error)
  const sent = send.data?.data
  useDraftShown(draft, showDraft)
  useLeaveGuard(draft.message !== '' || draft.file.stored !== undefined, 'unsent')

  function submit(event: FormEvent) {
    event.preventDefault()
    setPressed(true)
    if (draft.missing.length > 0 || draft.wrongTime !== null) return
    // The form is emptied, so that a second press does not send the message twice.
    const onSuccess = () => {
      setPressed(false)
      draft.empty()
    }
    send.mutate(draft.body, { onSuccess })
  }

  function drop(event: DragEvent) {
    event.preventDefault()
    draft.file.take(event.dataTransfer.files[0])
  }

  return (
    <form noValidate onSubmit={submit} onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      <Stack>
        <Addressing to={to} error={errors.group ?? errors.phone} takesGroups />
        <Words draft={draft} errors={errors} pressed={pressed} />
        <FileField file={draft.file} />
        <When draft={draft} errors={errors} />
        <SendBar
          path="/send"
          body={draft.body}
          sandbox={to.sender?.kind === 'sandbox'}
          ready={draft.ready}
          pending={send.isPending}
          error={send.error}
          sent={
            sent === undefined
              ? null
              : { id: sent.id, href: `/messages?sender_code=${sent.sender_code}&open=${sent.id}` }
          }
        />
      </Stack>
    </form>
  )
}

function useDraftShown({ written, file }: TextDraft, showDraft: (draft: ReactNode) => void): void {
  const name = file.stored?.name ?? null
  useEffect(() => {
    const shown = (
      <>
        {name === null ? null : <Media address={name} />}
        <ChatText text={written} />
      </>
    )
    showDraft(written === '' && name === null ? null : shown)
    return () => showDraft(null)
  }, [written, name, showDraft])
}

interface FieldsProps {
  draft: TextDraft
  /** Refusals by field. */
  errors: Record<string, string>
}

/** The text, written or taken from the saved texts, with inputs for its words in braces. */
function Words({ draft, errors, pressed }: FieldsProps & { pressed: boolean }) {
  const { t } = useTranslation()
  const { message, chosen, own, set } = draft
  return (
    <>
      <SavedTexts message={message} chosen={chosen} choose={({ id, text }) => set({ chosen: id, message: text })} />
      <Textarea
        label={t('write.message')}
        autosize
        minRows={3}
        maxRows={8}
        maxLength={MESSAGE_MAX}
        required={draft.file.stored === undefined}
        error={errors.message}
        value={message}
        onChange={(event) => set({ message: event.currentTarget.value })}
      />
      {draft.ownFields.map((name) => (
        <TextInput
          key={name}
          label={t('write.ownField', { name })}
          required
          error={pressed && draft.missing.includes(name) ? t('write.ownFieldEmpty', { name: `{${name}}` }) : null}
          value={own[name] ?? ''}
          onChange={(event) => set({ own: { ...own, [name]: event.currentTarget.value } })}
        />
      ))}
      {chosen === null ? <KeepText message={message} kept={({ id }) => set({ chosen: id })} /> : null}
    </>
  )
}

function When({ draft: { at, wrongTime, reference, set }, errors }: FieldsProps) {
  const { t } = useTranslation()
  const wrong = { over: t('write.atOver'), unread: t('write.atUnread') }
  return (
    <>
      <TextInput
        type="datetime-local"
        label={t('write.at')}
        description={t('write.atHint')}
        error={wrongTime === null ? errors.send_at : wrong[wrongTime]}
        value={at}
        onChange={({ currentTarget: { value, validity } }) => set({ at: value, atIncomplete: validity.badInput })}
      />
      <TextInput
        label={t('words.optional', { label: t('write.reference') })}
        description={t('write.referenceHint')}
        maxLength={256}
        error={errors.reference_id}
        value={reference}
        onChange={(event) => set({ reference: event.currentTarget.value })}
      />
    </>
  )
}
