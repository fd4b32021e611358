/** What the form holds; values of the body by variable. */
export interface TemplateDraft {
  name: string
  language: string
  values: Record<string, string>
  header: string
}
