import type { TemplateValues } from '../../model/template-text.ts'

/** What the form holds. */
export interface TemplateDraft extends TemplateValues {
  name: string
  language: string
}

export const NO_VALUES: TemplateValues = { body: {}, header: '', buttons: {} }
