import type { TemplateRow } from './answers.ts'

/** Returns a template as Meta lists it. The default text has no variable. */
export function textTemplate(
  name: string,
  language = 'id',
  text = 'Pesanan Anda siap.',
  more: object = {},
): TemplateRow {
  return {
    ...{ id: `${name}-${language}`, name, language, status: 'APPROVED', category: 'UTILITY' },
    ...{ parameter_format: 'POSITIONAL', components: [{ type: 'BODY', text }] },
    ...more,
  }
}
