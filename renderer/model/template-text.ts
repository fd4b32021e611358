import { z } from 'zod'
import type { Template } from '../api/templates.ts'

const text = z.string().optional()

/** Of a template's parts, as Meta lists them, only what a preview needs is looked at. */
const parts = z.array(
  z.object({
    type: z.string(),
    format: text,
    text,
    buttons: z.array(z.object({ type: z.string(), text, url: text })).optional(),
  }),
)

interface SentVariable {
  parameter_name?: string
  text?: string
}

/** The variables of `{{1}}` or `{{name}}` in order of first use, each once. */
export function variablesOf(text: string): string[] {
  return [...new Set([...text.matchAll(/\{\{\s*([^{}\s]+)\s*\}\}/g)].flatMap((match) => match[1] ?? []))]
}

/** The text with its variables filled; what is not filled yet stays to be seen. */
export function fill(text: string, values: Record<string, string>): string {
  return text.replaceAll(/\{\{\s*([^{}\s]+)\s*\}\}/g, (whole, name: string) => values[name] || whole)
}

const partOf = ({ components }: Template, type: string) =>
  parts.safeParse(components).data?.find((component) => component.type.toUpperCase() === type)

export interface TemplateLook {
  header: string | null
  /** `IMAGE`, `VIDEO`, `DOCUMENT`: the header is a file. */
  headerMedia: string | null
  body: string
  footer: string | null
  buttons: TemplateButton[]
}

export interface TemplateButton {
  /** Its place among the buttons, by which Meta knows it. */
  index: number
  label: string
  /** Its address ends in a variable. */
  open: boolean
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
    buttons: (partOf(template, 'BUTTONS')?.buttons ?? []).map((button, index) => ({
      index,
      label: button.text ?? button.type,
      open: variablesOf(button.url ?? '').length > 0,
    })),
  }
}

export interface TemplateValues {
  /** By variable. */
  body: Record<string, string>
  header: string
  /** What ends the address, by the button's place. */
  buttons: Record<string, string>
}

/** What `/waba/send-template` needs beside name and language, for these values. */
export function partsOf(template: Template, { body, header, buttons }: TemplateValues) {
  const look = lookOf(template)
  const names = variablesOf(look.body)
  const named = names.some((name) => !/^\d+$/.test(name))
  const values = names.map((name) => body[name] ?? '')
  const parameters = named ? Object.fromEntries(names.map((name, index) => [name, values[index] ?? ''])) : values
  const components = [...headerOf(look, header), ...buttonsOf(look, buttons)]
  return {
    ...(names.length === 0 ? {} : { parameters }),
    ...(components.length === 0 ? {} : { components }),
  }
}

function headerOf({ header, headerMedia }: TemplateLook, value: string) {
  if (headerMedia !== null) {
    const type = headerMedia.toLowerCase()
    return [{ type: 'header', parameters: [{ type, [type]: { link: value } }] }]
  }
  if (header === null || variablesOf(header).length === 0) return []
  return [{ type: 'header', parameters: [{ type: 'text', text: value }] }]
}

const buttonsOf = ({ buttons }: TemplateLook, values: Record<string, string>) =>
  buttons
    .filter(({ open }) => open)
    .map(({ index }) => ({
      type: 'button',
      sub_type: 'url',
      index,
      parameters: [{ type: 'text', text: values[index] ?? '' }],
    }))

/** The values that a template message was sent with, by variable; positions count from 1. */
export function valuesOf(components: readonly unknown[], type: string): Record<string, string> {
  const part = components.find((one) => isPart(one) && one.type.toLowerCase() === type)
  const parameters = isPart(part) ? (part.parameters ?? []) : []
  return Object.fromEntries(
    parameters.map((parameter, index) => [parameter.parameter_name ?? String(index + 1), parameter.text ?? '']),
  )
}

const isPart = (part: unknown): part is { type: string; parameters?: SentVariable[] } =>
  typeof part === 'object' && part !== null && 'type' in part && typeof part.type === 'string'
