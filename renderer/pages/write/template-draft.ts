import type { TemplateValues } from '../../model/template-text.ts'

/** A chosen template with the values that were typed. */
export interface TemplateDraft extends TemplateValues {
  name: string
  language: string
}

export const NO_VALUES: TemplateValues = { body: {}, header: '', buttons: {} }
