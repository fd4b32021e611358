import { Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { useSendTemplate } from '../../api/send.ts'
import type { Template } from '../../api/templates.ts'
import { TemplateBody } from '../../components/phone/template-body.tsx'
import { useLeaveGuard } from '../../hooks/leave-guard.ts'
import { useRefusals } from '../../hooks/use-field-text.ts'
import { draftLook, partsOf } from '../../model/template-text.ts'
import { Addressing, type Recipient } from './addressing.tsx'
import { SendBar } from './send-bar.tsx'
import { NO_VALUES, type TemplateDraft } from './template-draft.ts'
import { TemplateFields } from './template-fields.tsx'
import { TemplatePicker } from './template-picker.tsx'

interface TemplateFormProps {
  to: Recipient
  templates: Template[]
  /** Shows the unfinished template on the phone at the right. */
  showDraft: (draft: ReactNode) => void
}

export function TemplateForm({ to, templates, showDraft }: TemplateFormProps) {
  const send = useSendTemplate()
  const refusals = useRefusals()
  const [draft, setDraft] = useState<TemplateDraft>({ name: '', language: 'id', ...NO_VALUES })
  const [sentDraft, setSentDraft] = useState<TemplateDraft>()
  const { name: template_name, language } = draft
  const known = templates.find((one) => one.name === template_name && one.language === language)
  const parts = known === undefined ? {} : partsOf(known, draft)
  const sender_code = to.sender?.sender_code ?? ''
  const body = { sender_code, phone: to.phone, template_name, language, ...parts }
  const sentId = send.data?.data.id
  const errors = send.error === null ? {} : refusals(send.error)

  useEffect(() => {
    showDraft(known === undefined ? null : <TemplateBody look={draftLook(known, draft)} />)
    return () => showDraft(null)
  }, [known, draft, showDraft])
  useLeaveGuard(known !== undefined && draft !== sentDraft, 'unsent')

  function submit(event: FormEvent) {
    event.preventDefault()
    send.mutate(body, { onSuccess: () => setSentDraft(draft) })
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Addressing to={to} error={errors.phone} />
        <TemplatePicker
          official={to.sender?.kind === 'official'}
          senderCode={sender_code}
          templates={templates}
          draft={draft}
          setDraft={setDraft}
          errors={errors}
        />
        {known === undefined ? null : <TemplateFields template={known} draft={draft} setDraft={setDraft} />}
        <SendBar
          path="/waba/send-template"
          body={body}
          sandbox={to.sender?.kind === 'sandbox'}
          ready={sender_code !== '' && to.phone.trim() !== '' && template_name !== ''}
          pending={send.isPending}
          error={send.error}
          sent={
            sentId === undefined
              ? null
              : { id: sentId, href: `/api-message-logs?sender_code=${sender_code}&open=${sentId}` }
          }
        />
      </Stack>
    </form>
  )
}
