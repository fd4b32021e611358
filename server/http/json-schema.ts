import { z } from 'zod'
import { nameSchemas } from './description-names.ts'

export type JsonSchema = Record<string, unknown>

const REF = '#/components/schemas/'
/** Formats that need no pattern: the schema library's patterns have hundreds of characters. */
const SPOKEN_FOR = new Set<unknown>(['date-time', 'date', 'uuid'])

/** Allows members that are not described, because answers get new members without notice. */
function loosen({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
  if (SPOKEN_FOR.has(jsonSchema.format)) delete jsonSchema.pattern
}

/** Makes the JSON Schemas of one description. Schemas with a name are collected in `named`. */
export function createJsonSchemas() {
  nameSchemas()
  const named: Record<string, JsonSchema> = {}

  function keep(name: string, schema: JsonSchema): void {
    const known = named[name]
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`${name} is not the same in requests and answers: it cannot have one name.`)
    named[name] = schema
  }

  return {
    named,
    of(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
      const made = z.toJSONSchema(schema, { io, unrepresentable: 'any', target: 'draft-2020-12', override: loosen })
      const text = JSON.stringify(made).replaceAll('"$ref":"#/$defs/', `"$ref":"${REF}`)
      const { $schema: _dialect, $defs = {}, ...rest } = JSON.parse(text) as JsonSchema
      for (const [name, each] of Object.entries($defs as Record<string, JsonSchema>)) keep(name, each)
      return rest
    },
    /** Returns the schema that a reference leads to; any other schema unchanged. */
    resolved(schema: JsonSchema): JsonSchema {
      const { $ref, ...beside } = schema
      return typeof $ref === 'string' ? { ...named[$ref.slice(REF.length)], ...beside } : schema
    },
  }
}
export type JsonSchemas = ReturnType<typeof createJsonSchemas>

const TEXTS: Record<string, string> = {
  'date-time': '2026-11-21T08:00:00.000Z',
  date: '2026-11-21',
  email: 'owner@shop.example',
  phone: '6281234567890',
  uri: 'https://shop.example/kurir',
  uuid: '01a1feab-e730-7000-9982-5ab6c206febe',
}

/** Members whose example is a phone number, though they can hold other recipients too. */
const NUMBERS = new Set(['phone', 'recipient', 'display_phone_number'])

const asSchemas = (value: unknown): JsonSchema[] => (Array.isArray(value) ? (value as JsonSchema[]) : [])
const isNull = ({ type }: JsonSchema): boolean => type === 'null'

/**
 * Returns a value that fits a schema: its own example or default, otherwise the plainest value of
 * its type.
 * @param io `input`: an object gets only its members that are required or `x-needed`
 */
export function exampleOf(given: JsonSchema, io: 'input' | 'output', schemas: JsonSchemas): unknown {
  const schema = schemas.resolved(given)
  const own = asSchemas(schema.examples)[0] ?? schema.default
  if (own !== undefined) return own
  if (schema.const !== undefined) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const forms = [...asSchemas(schema.oneOf), ...asSchemas(schema.anyOf)]
  const form = forms.find((each) => !isNull(each))
  if (form !== undefined) return exampleOf(form, io, schemas)
  const [all] = asSchemas(schema.allOf)
  if (all !== undefined) return exampleOf(all, io, schemas)
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  switch (type) {
    case 'object':
      return objectOf(schema, io, schemas)
    case 'array':
      return typeof schema.items === 'object' && schema.items !== null
        ? [exampleOf(schema.items as JsonSchema, io, schemas)]
        : []
    case 'integer':
    case 'number':
      return Math.max(Number(schema.minimum ?? 0), Number(schema.exclusiveMinimum ?? -1) + 1)
    case 'boolean':
      return true
    case 'string':
      return TEXTS[String(schema.format)] ?? 'text'.padEnd(Number(schema.minLength ?? 0), 'x')
    default:
      return null
  }
}

function objectOf(schema: JsonSchema, io: 'input' | 'output', schemas: JsonSchemas): Record<string, unknown> {
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  // A message needs a person or a group: the example shows a person.
  if (properties.some(([name]) => name === 'group')) required.add('phone')
  // `x-needed`: optional only if another member, or the key, takes its place.
  const isShown = (name: string, property: JsonSchema) => required.has(name) || property['x-needed'] === true
  const shown = properties.filter(([name, property]) => io === 'output' || isShown(name, property))
  return Object.fromEntries(
    shown.map(([name, property]) => {
      const example = exampleOf(property, io, schemas)
      return [name, NUMBERS.has(name) && example === 'text' ? TEXTS.phone : example]
    }),
  )
}
