import type { TemplateValues } from '../../model/template-text.ts'

/** A template with its values, as chosen and filled in. */
export interface TemplateDraft extends TemplateValues {
  name: string
  language: string
}

export const NO_VALUES: TemplateValues = { body: {}, header: '', buttons: {} }
