import { z } from 'zod'
import { nameSchemas } from './schema-names.ts'

export type JsonSchema = Record<string, unknown>

const REF = '#/components/schemas/'
/** The format says enough: the library's patterns for these have hundreds of characters. */
const SPOKEN_FOR = new Set<unknown>(['date-time', 'date', 'uuid'])

/** Answers get new members without notice: clients must not refuse what is not described. */
function loosen({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
  if (SPOKEN_FOR.has(jsonSchema.format)) delete jsonSchema.pattern
}

/** JSON Schemas for one description: what has a name is put into `named` and referred to. */
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
    /** The schema itself, where this is a reference. */
    resolved(schema: JsonSchema): JsonSchema {
      const { $ref, ...beside } = schema
      return typeof $ref === 'string' ? { ...named[$ref.slice(REF.length)], ...beside } : schema
    },
  }
}
export type JsonSchemas = ReturnType<typeof createJsonSchemas>
