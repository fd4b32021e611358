import type { SecondRoad } from '../../../contract/second-road.ts'
import { TEMPLATE_VARIABLE, type TemplateComponent, variablesOf } from '../../../contract/templates.ts'
import { providerComponents } from '../graph/template-message.ts'

type Parameters = string[] | Record<string, string>

/** A template that a text becomes. */
export interface Fit {
  /** Place of the rule, from 0. */
  rule: number
  name: string
  language: string
  parameters: Parameters
  components: TemplateComponent[]
}

/** Meta takes no line breaks and no runs of spaces in the value of a variable. */
const flat = (text: string): string => text.trim().replace(/\s+/g, ' ')

/** The first rule whose pattern is the whole text; null: none is. Pure. */
export function fitOf(rules: SecondRoad['rules'], text: string): Fit | null {
  const wanted = flat(text)
  for (const [rule, { pattern, template_name: name, language, parameters }] of rules.entries()) {
    const values = readPattern(flat(pattern), wanted)
    if (values === null) continue
    const given = filled(parameters ?? variablesOf(pattern), values)
    return { rule, name, language, parameters: given, components: providerComponents(given) }
  }
  return null
}

function filled(names: Parameters, values: Map<string, string>): Parameters {
  if (Array.isArray(names)) return names.map((name) => values.get(name) ?? '')
  return Object.fromEntries(Object.entries(names).map(([own, name]) => [own, values.get(name) ?? '']))
}

/**
 * The values that a text has where a pattern has variables; null: it does not match. Every variable
 * is as short as the text behind it allows, except the last. Takes time in proportion to the text,
 * whatever it holds. Pure.
 */
export function readPattern(pattern: string, text: string): Map<string, string> | null {
  const names = [...pattern.matchAll(TEMPLATE_VARIABLE)].map(([, name = '']) => name)
  const [head = '', ...literals] = pattern.replaceAll(TEMPLATE_VARIABLE, '\0').split('\0')
  if (names.length === 0) return pattern === text ? new Map() : null
  if (!text.startsWith(head)) return null
  const values = new Map<string, string>()
  let at = head.length
  for (const [index, name] of names.entries()) {
    const literal = literals[index] ?? ''
    const isLast = index === names.length - 1
    const end = isLast ? text.length - literal.length : text.indexOf(literal, at + 1)
    if (end <= at || (isLast && !text.endsWith(literal))) return null
    const value = text.slice(at, end)
    if (values.has(name) && values.get(name) !== value) return null
    values.set(name, value)
    at = end + literal.length
  }
  return values
}
