import type { TemplateValues } from '../../model/template-text.ts'

/** What is chosen and filled in. */
export interface TemplateDraft extends TemplateValues {
  name: string
  language: string
}

export const NO_VALUES: TemplateValues = { body: {}, header: '', buttons: {} }
