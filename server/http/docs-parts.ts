export const html = (text: string): string => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)

/** Renders a sentence as HTML, with the words in backticks as code. */
export const prose = (text: string): string => html(text).replace(/`([^`]+)`/g, '<code>$1</code>')

export const code = (text: string): string => `<code>${html(text)}</code>`

const REF = /&#34;#\/components\/schemas\/(\w+)&#34;/g
/** Renders a value as JSON, with links to the schemas that it refers to. */
export const block = (value: unknown): string =>
  `<pre tabindex="0">${html(JSON.stringify(value, null, 2)).replace(REF, '<a href="#schema-$1">$1</a>')}</pre>`

const rowOf = (tag: 'th' | 'td', cells: readonly string[]): string =>
  `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`

/** @param rows cells in HTML */
export const table = (head: readonly string[], rows: readonly string[][]): string =>
  `<table>${rowOf('th', head)}${rows.map((cells) => rowOf('td', cells)).join('')}</table>`

/** The members of a JSON Schema that the page shows. */
export interface Schema {
  $ref?: string
  type?: unknown
  'x-needed'?: boolean
  enum?: unknown[]
  examples?: unknown[]
  const?: unknown
  format?: string
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

export interface Parameter {
  name: string
  in: string
  required: boolean
  description?: string
  schema: Schema
}

export type Content = Record<string, { schema?: Schema; example?: unknown }>

/** Returns the name of a type as HTML, with a link for a named schema. */
function typeOf({ $ref, type, enum: allowed, const: only, format, items, anyOf }: Schema): string {
  const name = $ref?.split('/').at(-1)
  if (name !== undefined) return `<a href="#schema-${name}">${name}</a>`
  if (Array.isArray(allowed)) return allowed.map((value) => code(String(value))).join(', ')
  if (only !== undefined) return code(String(only))
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ')
  if (type === 'array' && items !== undefined) return `list of ${typeOf(items)}`
  const names = Array.isArray(type) ? type.join(' or ') : String(type ?? '')
  return html(format === undefined ? names : `${names} (${format})`)
}

/** False for the largest safe integer and more: a limit of JavaScript, not of Kurir. */
const isLimit = (value: number | undefined): value is number =>
  value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER

function rangeOf(least: number | undefined, most: number | undefined, unit: string): string {
  if (isLimit(least) && isLimit(most)) return `${least} to ${most}${unit}`
  if (isLimit(most)) return `at most ${most}${unit}`
  return isLimit(least) && least > 0 ? `at least ${least}${unit}` : ''
}

/** Returns the limits and the default of a member, in words. */
function limitsOf(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, anyOf = [] } = schema
  const all = [
    rangeOf(minimum, maximum, ''),
    rangeOf(minLength, maxLength, ' characters'),
    rangeOf(minItems, maxItems, ' entries'),
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
    ...anyOf.map(limitsOf),
  ]
  return [...new Set(all.filter((each) => each !== ''))].join('; ')
}

export function parametersOf(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return ''
  const rows = parameters.map(({ name, in: place, required, schema, description = '' }) => [
    code(name),
    `${html(place)}${required ? ', required' : ''}`,
    typeOf(schema),
    html(limitsOf(schema)),
    prose(description),
  ])
  return table(['parameter', 'in', 'type', 'limits', 'meaning'], rows)
}

/** Renders the members of an object as a table; else empty. Only a caller's body shows limits. */
function membersOf({ properties, required = [] }: Schema, by: 'caller' | 'kurir'): string {
  if (properties === undefined) return ''
  const rows = Object.entries(properties).map(([name, schema]) => {
    const [type, meaning, isThere] = [typeOf(schema), prose(schema.description ?? ''), required.includes(name)]
    return by === 'caller'
      ? [code(name), type, isThere ? 'required' : '', html(limitsOf(schema)), meaning]
      : [code(name), type, isThere ? '' : 'may be absent', meaning]
  })
  return table(['field', 'type', 'needed', ...(by === 'caller' ? ['limits'] : []), 'meaning'], rows)
}

export type Resolve = (schema: Schema) => Schema

/** @param by sender of the body */
export function bodyOf(title: string, content: Content | undefined, resolve: Resolve, by: 'caller' | 'kurir'): string {
  const { schema, example } = content?.['application/json'] ?? {}
  if (schema === undefined) return ''
  const whole = resolve(schema)
  // All answers have the same envelope and differ only in `data`.
  const data = by === 'kurir' ? whole.properties?.data : undefined
  return `<h4>${title}</h4>${block(example)}${membersOf(data === undefined ? whole : resolve(data.items ?? data), by)}`
}
