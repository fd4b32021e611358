import type { Template, TemplateVariable } from '../api/templates.ts'

/** The variables of `{{1}}` or `{{name}}` in order of first use, each once. */
export function variablesOf(text: string): string[] {
  return [...new Set([...text.matchAll(/\{\{\s*([^{}\s]+)\s*\}\}/g)].flatMap((match) => match[1] ?? []))]
}

/** The text with its variables filled; what is not filled yet stays to be seen. */
export function fill(text: string, values: Record<string, string>): string {
  return text.replaceAll(/\{\{\s*([^{}\s]+)\s*\}\}/g, (whole, name: string) => values[name] || whole)
}

const partOf = ({ components }: Template, type: string) =>
  components.find((component) => component.type.toUpperCase() === type)

export interface TemplateLook {
  header: string | null
  /** `IMAGE`, `VIDEO`, `DOCUMENT`: the header is a file. */
  headerMedia: string | null
  body: string
  footer: string | null
  buttons: string[]
}

/** The parts of a template as a phone shows them, variables still open. */
export function lookOf(template: Template): TemplateLook {
  const header = partOf(template, 'HEADER')
  const format = header?.format?.toUpperCase() ?? 'TEXT'
  return {
    header: format === 'TEXT' ? (header?.text ?? null) : null,
    headerMedia: format === 'TEXT' ? null : format,
    body: partOf(template, 'BODY')?.text ?? '',
    footer: partOf(template, 'FOOTER')?.text ?? null,
    buttons: (partOf(template, 'BUTTONS')?.buttons ?? []).map((button) => button.text ?? button.type),
  }
}

/** What `/waba/send-template` needs beside name and language, for these values of the body and of the header. */
export function partsOf(template: Template, body: Record<string, string>, header: string) {
  const look = lookOf(template)
  const names = variablesOf(look.body)
  const named = names.some((name) => !/^\d+$/.test(name))
  const values = names.map((name) => body[name] ?? '')
  const parameters = named ? Object.fromEntries(names.map((name, index) => [name, values[index] ?? ''])) : values
  const headerPart = headerOf(look, header)
  return {
    ...(names.length === 0 ? {} : { parameters }),
    ...(headerPart === null ? {} : { components: [headerPart] }),
  }
}

function headerOf({ header, headerMedia }: TemplateLook, value: string) {
  if (headerMedia !== null) {
    const type = headerMedia.toLowerCase()
    return { type: 'header', parameters: [{ type, [type]: { link: value } }] }
  }
  if (header === null || variablesOf(header).length === 0) return null
  return { type: 'header', parameters: [{ type: 'text', text: value }] }
}

/** The values that a template message was sent with, by variable; positions count from 1. */
export function valuesOf(components: readonly unknown[], type: string): Record<string, string> {
  const part = components.find((one) => isPart(one) && one.type.toLowerCase() === type)
  const parameters = isPart(part) ? (part.parameters ?? []) : []
  return Object.fromEntries(
    parameters.map((parameter, index) => [parameter.parameter_name ?? String(index + 1), parameter.text ?? '']),
  )
}

const isPart = (part: unknown): part is { type: string; parameters?: TemplateVariable[] } =>
  typeof part === 'object' && part !== null && 'type' in part && typeof part.type === 'string'
