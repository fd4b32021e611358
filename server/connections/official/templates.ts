import { z } from 'zod'
import type { ErrorDetail } from '../../contract/errors.ts'
import type { TemplateComponent } from '../../contract/templates.ts'

const text = z.string().optional().catch(undefined)

const definedButton = z.looseObject({ type: z.string(), url: text })

const definedComponent = z.looseObject({
  type: z.string(),
  format: text,
  text,
  buttons: z.array(definedButton).optional().catch(undefined),
})

/** A template as Meta lists it; only what is used here is looked at, the rest is kept. */
export const template = z.looseObject({
  id: z.string(),
  name: z.string(),
  language: z.string(),
  status: z.string(),
  category: text,
  parameter_format: text,
  rejected_reason: text,
  components: z.array(definedComponent).catch([]),
})
export type Template = z.infer<typeof template>

/** What a send of a template has to bring. `null`: the template does not say, so nothing is checked. */
export interface Needs {
  body: readonly string[] | null
  headerText: readonly string[]
  /** `IMAGE`, `VIDEO`, `DOCUMENT`, `LOCATION`, …; `null` for a text header or none. */
  headerMedia: string | null
  /** Positions of the link buttons whose address has a variable. */
  linkButtons: readonly number[]
}

/** The variables of `{{1}}` or `{{name}}` in order of first use, each once. */
export function variablesOf(source: string): string[] {
  return [...new Set([...source.matchAll(/\{\{\s*([^{}\s]+)\s*\}\}/g)].flatMap((match) => match[1] ?? []))]
}

export function needsOf({ components }: Template): Needs {
  const find = (type: string) => components.find((component) => component.type.toUpperCase() === type)
  const header = find('HEADER')
  const bodyText = find('BODY')?.text
  const format = header?.format?.toUpperCase() ?? 'TEXT'
  const buttons = find('BUTTONS')?.buttons ?? []
  return {
    body: bodyText === undefined ? null : variablesOf(bodyText),
    headerText: format === 'TEXT' ? variablesOf(header?.text ?? '') : [],
    headerMedia: format === 'TEXT' ? null : format,
    linkButtons: buttons.flatMap((button, index) => (variablesOf(button.url ?? '').length > 0 ? [index] : [])),
  }
}

/**
 * What keeps this send from working, in words for the caller; empty when nothing does.
 * @param known every language of one template name; none known means that Meta decides
 */
export function templateProblems(
  known: readonly Template[],
  language: string,
  components: readonly TemplateComponent[],
): ErrorDetail[] {
  if (known.length === 0) return []
  const chosen = known.find((candidate) => candidate.language === language)
  if (chosen === undefined) {
    const languages = known.map((candidate) => candidate.language).join(', ')
    return [{ field: 'language', message: `does not exist for this template; it exists in ${languages}` }]
  }
  if (chosen.status !== 'APPROVED') {
    const message = `is ${chosen.status} at Meta; only an APPROVED template can be sent`
    return [{ field: 'template_name', message }]
  }
  const needs = needsOf(chosen)
  return [
    ...bodyProblems(needs, components),
    ...headerProblems(needs, components),
    ...buttonProblems(needs, components),
  ]
}

function bodyProblems({ body }: Needs, components: readonly TemplateComponent[]): ErrorDetail[] {
  if (body === null) return []
  const given = part(components, 'body')?.parameters ?? []
  const named = body.some((name) => !/^\d+$/.test(name))
  if (!named) return countProblem('parameters', 'the body', body.length, given.length)
  const names = given.map((parameter) => parameter.parameter_name)
  const missing = body.filter((name) => !names.includes(name))
  const unknown = given.length - (body.length - missing.length)
  if (missing.length === 0 && unknown === 0) return []
  const asked = `must be an object of the named variables ${body.join(', ')}`
  const absent = missing.length > 0 ? `; missing: ${missing.join(', ')}` : ''
  return [{ field: 'parameters', message: `${asked}${absent}${unknown > 0 ? `; ${unknown} not known` : ''}` }]
}

function headerProblems({ headerText, headerMedia }: Needs, components: readonly TemplateComponent[]): ErrorDetail[] {
  const given = part(components, 'header')?.parameters ?? []
  if (headerMedia === null) return countProblem('components', 'the header', headerText.length, given.length)
  const type = headerMedia.toLowerCase()
  if (given.length > 0) return []
  return [{ field: 'components', message: `must hold a header with one ${type} parameter` }]
}

function buttonProblems({ linkButtons }: Needs, components: readonly TemplateComponent[]): ErrorDetail[] {
  const given = components.filter((component) => component.type.toLowerCase() === 'button')
  return linkButtons
    .filter((index) => !given.some((button) => String(button.index) === String(index)))
    .map((index) => ({
      field: 'components',
      message: `must hold a button with sub_type url, index ${index} and one text parameter`,
    }))
}

function countProblem(field: string, where: string, needed: number, given: number): ErrorDetail[] {
  if (needed === given) return []
  const variables = needed === 1 ? '1 variable' : `${needed} variables`
  return [{ field, message: `${where} of this template has ${variables}, ${given} given` }]
}

function part(components: readonly TemplateComponent[], type: string): TemplateComponent | undefined {
  return components.find((component) => component.type.toLowerCase() === type)
}

/** The status that a `message_template_status_update` leaves behind; `null` when it changes none. */
export function statusAfterEvent(event: string): string | null {
  switch (event.toUpperCase()) {
    case 'REINSTATED':
    case 'UNPAUSED':
      return 'APPROVED'
    // A warning about quality: the template may still be sent.
    case 'FLAGGED':
      return null
    default:
      return event.toUpperCase()
  }
}
