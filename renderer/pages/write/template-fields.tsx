import { TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { variablesOf } from '../../../server/contract/templates.ts'
import type { Template } from '../../api/templates.ts'
import { lookOf, variableContext } from '../../model/template-text.ts'
import type { TemplateDraft } from './template-draft.ts'

interface TemplateFieldsProps {
  template: Template
  draft: TemplateDraft
  setDraft: (draft: TemplateDraft) => void
}

/** An input for each variable. The text around a variable is the label. */
export function TemplateFields({ template, draft, setDraft }: TemplateFieldsProps) {
  const { t } = useTranslation()
  const { header, headerMedia, body, buttons } = lookOf(template)
  const headerVariable = variablesOf(header ?? '')[0]
  return (
    <>
      {headerMedia === null && headerVariable === undefined ? null : (
        <TextInput
          label={
            headerMedia === null
              ? t('write.headerVariable', { around: variableContext(header ?? '', headerVariable ?? '') })
              : t('write.headerFile')
          }
          required
          value={draft.header}
          onChange={(event) => setDraft({ ...draft, header: event.currentTarget.value })}
        />
      )}
      {variablesOf(body).map((name) => (
        <TextInput
          key={name}
          label={variableContext(body, name)}
          required
          value={draft.body[name] ?? ''}
          onChange={(event) => setDraft({ ...draft, body: { ...draft.body, [name]: event.currentTarget.value } })}
        />
      ))}
      {buttons.map(({ index, label, open }) =>
        open ? (
          <TextInput
            key={index}
            label={t('write.buttonVariable', { label })}
            required
            value={draft.buttons[index] ?? ''}
            onChange={(event) =>
              setDraft({ ...draft, buttons: { ...draft.buttons, [index]: event.currentTarget.value } })
            }
          />
        ) : null,
      )}
    </>
  )
}
