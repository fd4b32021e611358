import { z } from 'zod'
import { fillVariables, TEMPLATE_VARIABLE, variablesOf } from '../../server/contract/templates.ts'
import type { Template } from '../api/templates.ts'

const text = z.string().optional()

/** Components of a template in Meta's form, with the members that a preview needs. */
const parts = z.array(
  z.object({
    type: z.string(),
    format: text,
    text,
    buttons: z.array(z.object({ type: z.string(), text, url: text })).optional(),
  }),
)

const sentPart = z.object({
  type: z.string(),
  parameters: z.array(z.object({ parameter_name: text, text })).optional(),
})

const partOf = ({ components }: Template, type: string) =>
  parts.safeParse(components).data?.find((component) => component.type.toUpperCase() === type)

export interface TemplateLook {
  header: string | null
  /** Format of a header that is a file, such as `IMAGE`. Null: a text header, or none. */
  headerMedia: string | null
  body: string
  footer: string | null
  buttons: TemplateButton[]
}

export interface TemplateButton {
  /** Index among the template's buttons, by which Meta names a button. */
  index: number
  label: string
  /** True if the button's address ends in a variable. */
  open: boolean
}

/** Returns the parts of a template as a phone shows them, with variables unfilled. */
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

/** Returns a template as the customer sees it, filled with a sent message's values. */
export function sentLook(template: Template, components: readonly unknown[]): TemplateLook {
  const look = lookOf(template)
  const header = look.header === null ? null : fillVariables(look.header, valuesOf(components, 'header'))
  return { ...look, header, body: fillVariables(look.body, valuesOf(components, 'body')) }
}

export interface TemplateValues {
  /** Values by variable name. */
  body: Record<string, string>
  header: string
  /** Ends of the buttons' addresses, by the button's index. */
  buttons: Record<string, string>
}

/** Returns a template with the values that were typed so far. */
export function draftLook(template: Template, { body, header }: TemplateValues): TemplateLook {
  const look = lookOf(template)
  const name = variablesOf(look.header ?? '')[0]
  return {
    ...look,
    header: look.header === null || name === undefined ? look.header : fillVariables(look.header, { [name]: header }),
    body: fillVariables(look.body, body),
  }
}

/** Returns the values as members of a body for `/waba/send-template`. */
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

/** Returns the values of a sent template by variable name. Unnamed variables are `1`, `2`, … */
export function valuesOf(components: readonly unknown[], type: string): Record<string, string> {
  const sent = components.map((one) => sentPart.safeParse(one).data).find((part) => part?.type.toLowerCase() === type)
  return Object.fromEntries(
    (sent?.parameters ?? []).map(({ parameter_name, text: value }, index) => [
      parameter_name ?? String(index + 1),
      value ?? '',
    ]),
  )
}

// Characters on each side of a variable. Our choice: enough to find it, short enough for a label.
const CONTEXT = 24

/**
 * Returns the label of a variable's input: the variable and the text around it, such as
 * `…faktur sebesar {{2}} sudah siap.`
 */
export function variableContext(source: string, name: string): string {
  const found = [...source.matchAll(TEMPLATE_VARIABLE)].find((match) => match[1] === name)
  if (found === undefined) return `{{${name}}}`
  const end = found.index + found[0].length
  const before = source.slice(0, found.index)
  const after = source.slice(end)
  const start = before.length > CONTEXT ? before.slice(-CONTEXT).replace(/^\S*\s/, '…') : before
  const rest = after.length > CONTEXT ? after.slice(0, CONTEXT).replace(/\s\S*$/, '…') : after
  return `${start}{{${name}}}${rest}`.replaceAll(/\s+/g, ' ').trim()
}
