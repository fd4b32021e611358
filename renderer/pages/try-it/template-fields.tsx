import { Text, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Template } from '../../api/templates.ts'
import { TemplateBody } from '../../components/phone/template-body.tsx'
import { fill, lookOf, variablesOf } from '../../model/template-text.ts'
import type { TemplateDraft } from './template-draft.ts'
import classes from './try-it.module.css'

interface TemplateFieldsProps {
  template: Template
  draft: TemplateDraft
  setDraft: (draft: TemplateDraft) => void
}

/** An input for each variable, and the template as it will look. */
export function TemplateFields({ template, draft, setDraft }: TemplateFieldsProps) {
  const { t } = useTranslation()
  const look = lookOf(template)
  const headerVariable = variablesOf(look.header ?? '')[0]
  const header = look.header === null ? null : fill(look.header, { [headerVariable ?? '']: draft.header })
  const headerLabel = look.headerMedia === null ? t('tryIt.headerVariable') : t('tryIt.headerFile')
  return (
    <>
      {look.headerMedia === null && headerVariable === undefined ? null : (
        <TextInput
          label={headerLabel}
          required
          value={draft.header}
          onChange={(event) => setDraft({ ...draft, header: event.currentTarget.value })}
        />
      )}
      {variablesOf(look.body).map((name) => (
        <TextInput
          key={name}
          label={t('tryIt.variable', { name })}
          required
          value={draft.body[name] ?? ''}
          onChange={(event) => setDraft({ ...draft, body: { ...draft.body, [name]: event.currentTarget.value } })}
        />
      ))}
      {look.buttons.map(({ index, label, open }) =>
        open ? (
          <TextInput
            key={index}
            label={t('tryIt.buttonVariable', { label })}
            required
            value={draft.buttons[index] ?? ''}
            onChange={(event) =>
              setDraft({ ...draft, buttons: { ...draft.buttons, [index]: event.currentTarget.value } })
            }
          />
        ) : null,
      )}
      <div>
        <Text size="sm" fw={500} mb={4}>
          {t('tryIt.preview')}
        </Text>
        <div className={classes.preview}>
          <TemplateBody look={{ ...look, header, body: fill(look.body, draft.body) }} />
        </div>
      </div>
    </>
  )
}
