import { Stack } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useSendTemplate } from '../../api/send.ts'
import type { Template } from '../../api/templates.ts'
import { partsOf } from '../../model/template-text.ts'
import { SendBar } from './send-bar.tsx'
import { NO_VALUES, type TemplateDraft } from './template-draft.ts'
import { TemplateFields } from './template-fields.tsx'
import { TemplatePicker } from './template-picker.tsx'

interface TemplateFormProps {
  senderCode: string
  phone: string
  templates: Template[]
}

export function TemplateForm({ senderCode: sender_code, phone, templates }: TemplateFormProps) {
  const send = useSendTemplate()
  const [draft, setDraft] = useState<TemplateDraft>({ name: '', language: 'id', ...NO_VALUES })
  const { name: template_name, language } = draft
  const known = templates.find((one) => one.name === template_name && one.language === language)
  const parts = known === undefined ? {} : partsOf(known, draft)
  const body = { sender_code, phone, template_name, language, ...parts }

  function submit(event: FormEvent) {
    event.preventDefault()
    send.mutate(body)
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <TemplatePicker senderCode={sender_code} templates={templates} draft={draft} setDraft={setDraft} />
        {known === undefined ? null : <TemplateFields template={known} draft={draft} setDraft={setDraft} />}
        <SendBar
          path="/waba/send-template"
          body={body}
          ready={sender_code !== '' && phone.trim() !== '' && template_name !== ''}
          pending={send.isPending}
          error={send.error}
          sent={send.data === undefined ? null : `/api-message-logs?open=${send.data.data.id}`}
        />
      </Stack>
    </form>
  )
}
